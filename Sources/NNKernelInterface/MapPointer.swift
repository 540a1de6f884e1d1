// What a kernel is told. All strides count floats. A feature map is channels-last: the channels of a
// pixel are contiguous, pixels are `pixelStride` apart, rows `rowStride` apart, so that a channel slice of
// a wider buffer, a phase of a strided map and a dense map are all the same thing.

/// A read-only channels-last map.
public struct MapPointer {
  /// First channel of the first pixel.
  public var base: UnsafePointer<Float>
  /// Floats from one pixel to the next, and from one row to the next.
  public var pixelStride, rowStride: Int

  /// A map that starts at `base`.
  public init(base: UnsafePointer<Float>, pixelStride: Int, rowStride: Int) {
    self.base = base
    self.pixelStride = pixelStride
    self.rowStride = rowStride
  }
}

/// A writable channels-last map.
public struct MutableMapPointer {
  /// First channel of the first pixel.
  public var base: UnsafeMutablePointer<Float>
  /// Floats from one pixel to the next, and from one row to the next.
  public var pixelStride, rowStride: Int

  /// A map that starts at `base`.
  public init(base: UnsafeMutablePointer<Float>, pixelStride: Int, rowStride: Int) {
    self.base = base
    self.pixelStride = pixelStride
    self.rowStride = rowStride
  }
}
