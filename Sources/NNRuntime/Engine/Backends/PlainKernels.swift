// The parts of plain kernels: a scalar at a time, in the order of the definitions, sharing no arithmetic with the
// vector kernels that they check.

import NNKernelInterface

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Scalar functions of the plain kernels (`Operators`), and of the OpenBLAS backend.
enum PlainKernels {
  static func activate(_ x: Float, _ activation: Activation) -> Float {
    switch activation {
    case .none: x
    case .relu: x < 0 ? 0 : x
    case .leakyReLU(let slope): x < 0 ? slope * x : x
    case .silu: x / (1 + expf(-x))
    case .gelu: 0.5 * x * (1 + erff(x * Float(0.5).squareRoot()))
    case .sigmoid: 1 / (1 + expf(-x))
    case .hardSwish: x * min(max(x + 3, 0), 6) / 6
    case .clip(let low, let high, let scale, let shift):
      (x < low ? low : x > high ? high : x) * scale + shift
    }
  }

  /// One element of a resampled map.
  static func resampled(
    _ input: MapPointer, _ resampling: Resampling, _ y: Int, _ x: Int, _ channel: Int
  ) -> Float {
    let taps = resampling.taps
    var sum: Float = 0
    for i in 0..<taps {
      let inY = unsafe Int(resampling.rowIndices[y * taps + i])
      for j in 0..<taps {
        let inX = unsafe Int(resampling.columnIndices[x * taps + j])
        let weight = unsafe resampling.rowWeights[y * taps + i] * resampling.columnWeights[x * taps + j]
        sum += unsafe weight * input.pixel(inY, inX)[channel]
      }
    }
    return sum
  }

  /// Normalizes one pixel's channels into `output`.
  static func normalize(
    _ normalization: Normalization, _ channels: Int, _ input: UnsafePointer<Float>,
    _ output: UnsafeMutablePointer<Float>
  ) {
    var sum = 0.0
    for channel in 0..<channels { sum += unsafe Double(input[channel]) }
    let mean = sum / Double(channels)
    var squares = 0.0
    for channel in 0..<channels {
      let centered = unsafe Double(input[channel]) - mean
      squares += centered * centered
    }
    let scale = 1 / (squares / Double(channels) + Double(normalization.epsilon)).squareRoot()
    for channel in 0..<channels {
      let normal = unsafe Float((Double(input[channel]) - mean) * scale)
      unsafe output[channel] = normal * normalization.gamma[channel] + normalization.beta[channel]
    }
  }

  /// output = softmax(input * scale); `output` may be `input` itself.
  static func softmaxRow(
    _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, count: Int, scale: Float
  ) {
    var greatest = -Float.infinity
    for index in 0..<count { greatest = unsafe max(greatest, input[index] * scale) }
    var sum: Float = 0
    for index in 0..<count {
      let power = unsafe expf(input[index] * scale - greatest)
      unsafe output[index] = power
      sum += power
    }
    for index in 0..<count { unsafe output[index] /= sum }
  }
}

extension MapPointer {
  /// First channel of a pixel.
  func pixel(_ y: Int, _ x: Int) -> UnsafePointer<Float> {
    unsafe base + y * rowStride + x * pixelStride
  }
}

extension MutableMapPointer {
  /// First channel of a pixel.
  func pixel(_ y: Int, _ x: Int) -> UnsafeMutablePointer<Float> {
    unsafe base + y * rowStride + x * pixelStride
  }
}
