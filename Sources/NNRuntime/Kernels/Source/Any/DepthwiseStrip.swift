// Depthwise 3x3 convolutions of stride 1 by strips, where an instruction set has them.

/// Strips of neighboring output pixels, of which four channels are summed up at once.
///
/// `InstructionSet` of a target alone has them, so that calls are resolved when they are compiled.
protocol DepthwiseStrips {
  /// Output pixels of a strip, sixteen; or 0 for none. Maps hold floats then.
  static var stripPixels: Int { get }
  /// The sums of four channels of the pixels of a strip; only called where there are any.
  static func strip(_ strip: DepthwiseStrip) -> StripSums
}

/// Four channels of a strip: `rows` rows of input pixels and of the kernel, and what the sums begin with; `channels` is how
/// far weights of neighboring positions are apart.
typealias DepthwiseStrip = (
  source: UnsafePointer<Float>, pixelStride: Int, rowStride: Int, weights: UnsafePointer<Float>,
  channels: Int, rows: Int, bias: UnsafePointer<Float>
)

/// Sums of four channels of sixteen pixels, those of four a vector.
typealias StripSums = (Vector, Vector, Vector, Vector)

extension DepthwiseStrips {
  @inline(__always) static var stripPixels: Int { 0 }
  @inline(__always) static func strip(_ strip: DepthwiseStrip) -> StripSums {
    let sum = load(strip.bias)
    return (sum, sum, sum, sum)
  }
}
