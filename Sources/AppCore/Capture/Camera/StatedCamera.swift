import Geometry

/// A pinhole camera as a file or a user states it: pixel-center convention, for a picture of a stated size.
public struct StatedCamera: Sendable, Equatable {
  /// Focal length in pixel widths.
  public let fx: Double
  /// Focal length in pixel heights.
  public let fy: Double
  /// Principal point from the center of the leftmost column.
  public let cx: Double
  /// Principal point from the center of the topmost row.
  public let cy: Double
  /// The picture these numbers belong to; nil for the picture they come with.
  public let size: PixelSize?

  /// A camera from its numbers, which are checked when they meet a picture.
  public init(fx: Double, fy: Double, cx: Double, cy: Double, size: PixelSize? = nil) {
    self.fx = fx
    self.fy = fy
    self.cx = cx
    self.cy = cy
    self.size = size
  }

  /// The principal point, counted from the picture's corner as all points of a picture are.
  var principalPoint: Point2<ImagePixels> { Point2(fromFirstCenter: cx, cy) }

  /// A camera from `fx,fy,cx,cy` or `fx,fy,cx,cy,width,height`.
  ///
  /// - Throws: `CaptureError.badField` for anything else.
  public init(parsing text: String) throws(CaptureError) {
    let values = text.split(separator: ",", omittingEmptySubsequences: false).map { field in
      Double(field.filter { $0 != " " })
    }
    let numbers = values.compactMap { $0 }
    guard numbers.count == values.count, numbers.allSatisfy(\.isFinite), [4, 6].contains(numbers.count) else {
      throw Self.unreadable(text)
    }
    var size: PixelSize?
    if numbers.count == 6 {
      guard let width = Int(exactly: numbers[4]), let height = Int(exactly: numbers[5]),
        let stated = try? PixelSize(checking: width, height)
      else { throw Self.unreadable(text) }
      size = stated
    }
    self.init(fx: numbers[0], fy: numbers[1], cx: numbers[2], cy: numbers[3], size: size)
  }

  /// How far the aspect ratios of the stated size and a picture may differ, relatively.
  private static let aspectTolerance = 0.02

  /// Intrinsics for a picture that shows the whole field.
  func intrinsics(for picture: PixelSize, file: String) throws(CaptureError) -> Intrinsics {
    let size = size ?? picture
    let ratio = Double(size.width * picture.height) / Double(size.height * picture.width)
    guard abs(ratio - 1) <= Self.aspectTolerance else {
      throw .badIntrinsics(
        file: file,
        reason: "are for \(size.width)x\(size.height), the picture has \(picture.width)x\(picture.height)")
    }
    return try FrameFields.intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, imageSize: size, file: file)
      .scaled(to: picture)
  }

  private static func unreadable(_ text: String) -> CaptureError {
    .badField(
      file: text, field: "intrinsics", expected: "fx,fy,cx,cy in pixels, or fx,fy,cx,cy,width,height")
  }
}
