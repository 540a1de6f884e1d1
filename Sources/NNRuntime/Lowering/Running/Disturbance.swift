import FileFormats
import ONNX

/// Seeded errors of either sign.
struct Disturbance {
  /// Half a unit in the last place of single precision: the error of one rounding.
  static let rounding: Float = 0x1p-24

  /// The factor from a layer's isolated difference to the errors added to its result: the difference that was found is one
  /// draw of those possible.
  static let ofIsolated: Float = 4

  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The tensor with an error added to each element.
  ///
  /// - `size`: bound of an error, as a share of the largest element.
  mutating func applied(to tensor: ONNXTensor, _ size: Float) -> ONNXTensor {
    guard tensor.type.isHeldAsFloat else { return tensor }
    var elements = tensor.floats()
    let largest = elements.reduce(Float(0)) { $1.isFinite ? max($0, abs($1)) : $0 }
    for index in elements.indices { elements[index] += random.signed() * size * largest }
    return TensorKind(type: tensor.type, shape: tensor.shape).tensor(elements)
  }
}
