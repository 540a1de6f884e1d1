// The plain loops of the OpenBLAS backend: a scalar at a time, in the order of the definitions, sharing no
// arithmetic with the vector kernels that they check.

import Glibc
import NNKernelInterface

/// Scalar kernels; see `KernelCatalogue` for what each computes.
enum PlainKernels {
  static func activate(_ x: Float, _ activation: Activation) -> Float {
    switch activation {
    case .none: x
    case .relu: x < 0 ? 0 : x
    case .leakyReLU(let slope): x < 0 ? slope * x : x
    case .silu: x / (1 + expf(-x))
    case .gelu: 0.5 * x * (1 + erff(x * Float(0.5).squareRoot()))
    case .sigmoid: 1 / (1 + expf(-x))
    }
  }

  static func depthwise(_ task: UnsafePointer<DepthwiseTask>, _ share: Share) {
    let task = unsafe task.pointee
    let (kernel, channels) = (task.kernel, task.channels)
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<channels {
          var sum = unsafe task.bias[channel]
          for row in 0..<kernel {
            let inY = y * task.stride - task.padding + row
            guard inY >= 0 && inY < task.inHeight else { continue }
            for column in 0..<kernel {
              let inX = x * task.stride - task.padding + column
              guard inX >= 0 && inX < task.inWidth else { continue }
              let weight = unsafe task.weights[(row * kernel + column) * channels + channel]
              sum += unsafe task.input.pixel(inY, inX)[channel] * weight
            }
          }
          var result = activate(sum, task.activation)
          if let residual = task.residual { result += unsafe residual.pixel(y, x)[channel] }
          unsafe task.output.pixel(y, x)[channel] = result
        }
      }
    }
  }

  static func maxPool(_ task: UnsafePointer<PoolTask>, _ share: Share) {
    let task = unsafe task.pointee
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<task.channels {
          var best = -Float.infinity
          for row in 0..<task.kernel {
            let inY = y * task.stride - task.padding + row
            guard inY >= 0 && inY < task.inHeight else { continue }
            for column in 0..<task.kernel {
              let inX = x * task.stride - task.padding + column
              guard inX >= 0 && inX < task.inWidth else { continue }
              best = unsafe max(best, task.input.pixel(inY, inX)[channel])
            }
          }
          unsafe task.output.pixel(y, x)[channel] = best
        }
      }
    }
  }

  static func resize(_ task: UnsafePointer<ResizeTask>, _ share: Share) {
    let task = unsafe task.pointee
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<task.channels {
          var sum = resampled(task.input, task.resampling, y, x, channel)
          if let residual = task.residual { sum += unsafe residual.pixel(y, x)[channel] }
          unsafe task.output.pixel(y, x)[channel] = sum
        }
      }
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

  static func layerNorm(_ task: UnsafePointer<LayerNormTask>, _ share: Share) {
    let task = unsafe task.pointee
    for token in share.items {
      unsafe normalise(
        task.normalisation, task.channels, task.input.base + token * task.input.pixelStride,
        task.output.base + token * task.output.pixelStride)
    }
  }

  /// Normalizes one pixel's channels into `output`.
  static func normalise(
    _ normalisation: Normalisation, _ channels: Int, _ input: UnsafePointer<Float>,
    _ output: UnsafeMutablePointer<Float>
  ) {
    var sum = 0.0
    for channel in 0..<channels { sum += unsafe Double(input[channel]) }
    let mean = sum / Double(channels)
    var squares = 0.0
    for channel in 0..<channels {
      let centred = unsafe Double(input[channel]) - mean
      squares += centred * centred
    }
    let scale = 1 / (squares / Double(channels) + Double(normalisation.epsilon)).squareRoot()
    for channel in 0..<channels {
      let normal = unsafe Float((Double(input[channel]) - mean) * scale)
      unsafe output[channel] = normal * normalisation.gamma[channel] + normalisation.beta[channel]
    }
  }

  static func softmax(_ task: UnsafePointer<ElementwiseTask>, _ share: Share) {
    let task = unsafe task.pointee
    for pixel in share.items {
      let (y, x) = (pixel / task.width, pixel % task.width)
      let (input, output) = unsafe (task.a.pixel(y, x), task.output.pixel(y, x))
      unsafe softmaxRow(input, output, count: task.channels, scale: 1)
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

  static func elementwise(_ task: UnsafePointer<ElementwiseTask>, _ share: Share) {
    let task = unsafe task.pointee
    for pixel in share.items {
      let (y, x) = (pixel / task.width, pixel % task.width)
      let (a, output) = unsafe (task.a.pixel(y, x), task.output.pixel(y, x))
      for channel in 0..<task.channels {
        var value = unsafe a[channel]
        switch task.operation {
        case .unary: break
        case .add: if let b = task.b { value += unsafe b.pixel(y, x)[channel] }
        case .affine:
          if let scale = unsafe task.scale, let shift = unsafe task.shift {
            value = unsafe value * scale[channel] + shift[channel]
          }
        }
        unsafe output[channel] = activate(value, task.activation)
      }
    }
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
