import NNRuntime
import ONNX

/// Weights that a file holds as integers of 8 bits, with a scale for each output channel.
struct ByteWeights {
  /// The integers, less their zero points, in the order of the file.
  var integers: WeightTensor
  /// One per output channel.
  var scale: [Float]

  /// The integers of what `DequantizeLinear` made of known ones; nil where a scale covers anything but whole output channels,
  /// or the zero point is not in the middle.
  ///
  /// `outputs` is the axis of output channels.
  fileprivate init?(_ tensor: ONNXTensor, outputs: Int) {
    let zero = tensor.dequantized?.integers.type == .int8 ? 0 : 128
    guard let source = tensor.dequantized, tensor.shape.indices.contains(outputs), tensor.count > 0,
      source.axis ?? outputs == outputs, source.zeros.allSatisfy({ $0 == zero }),
      source.scales.allSatisfy({ $0.isFinite && $0 > 0 })
    else { return nil }
    scale =
      source.scales.count > 1
      ? source.scales : [Float](repeating: source.scales[0], count: tensor.shape[outputs])
    let storage = TensorStorage(count: tensor.count) {
      let values = source.integers.floats()
      return zero == 0 ? values : values.map { $0 - Float(zero) }
    }
    integers = WeightTensor(shape: tensor.shape, dtype: .float32, storage: storage)
  }
}

extension Operands {
  /// A known input's elements as integers of 8 bits, output channels along the axis `outputs`; nil where they are others.
  func byteWeights(_ index: Int, outputs: Int) -> ByteWeights? {
    constant(index).flatMap { ByteWeights($0, outputs: outputs) }
  }
}
