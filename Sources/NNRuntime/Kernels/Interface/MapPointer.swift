// Pointers to feature maps, the arguments of kernels. All strides count elements. A feature map is
// channels-last: the channels of a pixel are contiguous, pixels are `pixelStride` apart, rows `rowStride`
// apart. So a channel slice of a wider buffer, a phase of a strided map and a dense map have one type.

/// Element type of a map.
///
/// Only the kernels of reduced precision, and of Winograd convolutions, see others than floats.
public enum ElementType: UInt8, Sendable, CaseIterable {
  /// IEEE 754 single precision.
  case float32
  /// Its upper half: 8 bits of exponent, 7 of mantissa.
  case bfloat16
}

/// A read-only channels-last map.
public struct MapPointer {
  /// First channel of the first pixel.
  public var base: UnsafePointer<Float>
  /// Elements from one pixel to the next, and from one row to the next.
  public var pixelStride, rowStride: Int
  /// Element type at `base`; if not floats, only the address counts.
  public var element: ElementType

  /// A map that starts at `base`.
  public init(
    base: UnsafePointer<Float>, pixelStride: Int, rowStride: Int, element: ElementType = .float32
  ) {
    self.base = base
    self.pixelStride = pixelStride
    self.rowStride = rowStride
    self.element = element
  }
}

/// A writable channels-last map.
public struct MutableMapPointer {
  /// First channel of the first pixel.
  public var base: UnsafeMutablePointer<Float>
  /// Elements from one pixel to the next, and from one row to the next.
  public var pixelStride, rowStride: Int
  /// Element type at `base`; if not floats, only the address counts.
  public var element: ElementType

  /// A map that starts at `base`.
  public init(
    base: UnsafeMutablePointer<Float>, pixelStride: Int, rowStride: Int, element: ElementType = .float32
  ) {
    self.base = base
    self.pixelStride = pixelStride
    self.rowStride = rowStride
    self.element = element
  }
}
