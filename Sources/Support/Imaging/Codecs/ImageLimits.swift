import Geometry

/// Sizes beyond which a picture is refused before anything is allocated for it.
public struct ImageLimits: Sendable, Equatable {
  /// Most pixels (width times height).
  public var maxPixels: Int
  /// Most bytes of the encoded file.
  public var maxFileBytes: Int

  /// Limits on decoded and encoded size.
  public init(maxPixels: Int, maxFileBytes: Int) {
    self.maxPixels = maxPixels
    self.maxFileBytes = maxFileBytes
  }

  /// 64 Mi pixels and 256 MiB.
  public static let `default` = ImageLimits(maxPixels: 64 << 20, maxFileBytes: 256 << 20)

  /// The longest side of a picture.
  var longestSide: Int { PixelSize.maximumSide }

  /// Throws unless `width` x `height` is a size that may be allocated.
  func check(width: Int, height: Int, format: ImageFormat) throws(ImageDefect) {
    guard width > 0, height > 0 else { throw .zeroSize(format) }
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, count <= maxPixels, max(width, height) <= PixelSize.maximumSide else {
      throw .tooManyPixels(width: width, height: height, limit: maxPixels)
    }
  }
}
