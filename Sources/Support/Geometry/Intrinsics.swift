/// A pinhole camera's focal lengths and principal point, in pixels of a picture of known size.
///
/// The principal point counts from the *center* of the upper-left pixel, as ARKit does; `ImagePixels` count
/// from its corner: edge = center + 0.5.
public struct Intrinsics: Hashable, Sendable {
  /// Focal length in pixel widths.
  public let fx: Double
  /// Focal length in pixel heights.
  public let fy: Double
  /// Principal point from the center of the leftmost column.
  public let cx: Double
  /// Principal point from the center of the topmost row.
  public let cy: Double
  /// The picture these numbers belong to.
  public let imageSize: PixelSize

  /// Width of that picture in pixels.
  public var imageWidth: Int { imageSize.width }
  /// Height of that picture in pixels.
  public var imageHeight: Int { imageSize.height }

  /// Intrinsics of a picture of `imageWidth` x `imageHeight` pixels.
  ///
  /// - Throws: `GeometryError.badIntrinsics` unless fx, fy > 0 and all four are finite; `.badSize`.
  public init(
    fx: Double, fy: Double, cx: Double, cy: Double, imageWidth: Int, imageHeight: Int
  ) throws(GeometryError) {
    guard fx > 0, fy > 0, fx.isFinite, fy.isFinite, cx.isFinite, cy.isFinite else {
      throw .badIntrinsics(fx: fx, fy: fy, cx: cx, cy: cy)
    }
    self.init(
      unchecked: fx, fy, cx, cy, imageSize: try PixelSize(checking: imageWidth, imageHeight))
  }

  /// Intrinsics from the nine elements of K in column-major order: fx 0 0 0 fy 0 cx cy 1.
  ///
  /// - Throws: `GeometryError.badElementCount`, `.badIntrinsics`, `.badSize`.
  public init(columnMajor k: [Double], imageWidth: Int, imageHeight: Int) throws(GeometryError) {
    guard k.count == 9 else { throw .badElementCount(expected: 9, found: k.count) }
    try self.init(
      fx: k[0], fy: k[4], cx: k[6], cy: k[7], imageWidth: imageWidth, imageHeight: imageHeight)
  }

  private init(unchecked fx: Double, _ fy: Double, _ cx: Double, _ cy: Double, imageSize: PixelSize) {
    self.fx = fx
    self.fy = fy
    self.cx = cx
    self.cy = cy
    self.imageSize = imageSize
  }

  /// The principal point, counted from the picture's corner as all points of a picture are.
  public var principalPoint: Point2<ImagePixels> { Point2(fromFirstCenter: cx, cy) }

  /// K, column after column.
  public var columnMajor: [Double] { [fx, 0, 0, 0, fy, 0, cx, cy, 1] }

  /// The same camera's intrinsics for the picture resized to another grid.
  public func scaled(to size: PixelSize) -> Intrinsics {
    let sx = Double(size.width) / Double(imageWidth)
    let sy = Double(size.height) / Double(imageHeight)
    return Intrinsics(
      unchecked: fx * sx, fy * sy, (cx + 0.5) * sx - 0.5, (cy + 0.5) * sy - 0.5, imageSize: size)
  }

  /// The same camera's intrinsics for the picture resized to `width` x `height`.
  public func scaled(toWidth width: Int, height: Int) -> Intrinsics {
    scaled(to: PixelSize(width: width, height: height))
  }
}
