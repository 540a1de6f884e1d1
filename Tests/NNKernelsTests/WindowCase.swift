import NNKernelInterface
import Testing

/// A depthwise convolution or a max-pool to check.
struct WindowCase: CustomTestStringConvertible, Sendable {
  var height, width, channels, kernel, stride, padding: Int
  var activation = Activation.none
  var residual = false
  var gap = 0

  var outHeight: Int { (height + 2 * padding - kernel) / stride + 1 }
  var outWidth: Int { (width + 2 * padding - kernel) / stride + 1 }

  var testDescription: String {
    "\(height)x\(width)x\(channels) k\(kernel) s\(stride) p\(padding) \(activation) gap \(gap)"
      + (residual ? " +residual" : "")
  }

  /// The task of a depthwise convolution; `residual` counts where the case has one.
  func depthwise(
    _ input: MapPointer, _ output: MutableMapPointer, residual: MapPointer, weights: UnsafePointer<Float>,
    bias: UnsafePointer<Float>
  ) -> DepthwiseTask {
    unsafe DepthwiseTask(
      inHeight: height, inWidth: width, outHeight: outHeight, outWidth: outWidth, channels: channels,
      kernel: kernel, stride: stride, padding: padding, input: input, output: output,
      residual: self.residual ? residual : nil, weights: weights, bias: bias, activation: activation)
  }

  /// The task of a max-pool.
  func maxPool(_ input: MapPointer, _ output: MutableMapPointer) -> PoolTask {
    PoolTask(
      inHeight: height, inWidth: width, outHeight: outHeight, outWidth: outWidth, channels: channels,
      kernel: kernel, stride: stride, padding: padding, input: input, output: output)
  }
}

/// The definitions.
extension WindowCase {
  /// An element of a depthwise convolution of (kernel, kernel, channels) weights.
  func depthwise(
    _ input: some TestMap, weights: GuardedFloats, bias: GuardedFloats, residual: some TestMap, _ y: Int,
    _ x: Int, _ channel: Int
  ) -> Expected {
    var sum = Expected()
    for row in 0..<kernel {
      for column in 0..<kernel {
        sum.add(
          input.padded(y * stride - padding + row, x * stride - padding + column, channel),
          weights[(row * kernel + column) * channels + channel])
      }
    }
    sum.add(bias[channel])
    sum = activated(sum, activation)
    if self.residual { sum.add(residual[y, x, channel]) }
    return sum
  }

  /// An element of a max-pool: what lies beyond the edges counts as minus infinity.
  func greatest(of input: some TestMap, _ y: Int, _ x: Int, _ channel: Int) -> Float {
    var greatest = -Float.infinity
    for row in 0..<kernel {
      for column in 0..<kernel {
        let (inY, inX) = (y * stride - padding + row, x * stride - padding + column)
        if inY < 0 || inX < 0 || inY >= height || inX >= width { continue }
        greatest = max(greatest, input[inY, inX, channel])
      }
    }
    return greatest
  }
}
