import ONNX

/// Seeded errors of a size, with either sign.
struct Disturbance {
  /// Half a unit in the last place of single precision: what any computation may be off by.
  static let rounding: Float = 0x1p-24

  /// So many times a layer's isolated difference disturb it: the errors that were seen are some of those that could be.
  static let ofIsolated: Float = 4

  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }

  /// A tensor, each element off by at most a share of the largest.
  mutating func applied(to tensor: ONNXTensor, _ size: Float) -> ONNXTensor {
    guard tensor.type.isHeldAsFloat else { return tensor }
    var elements = tensor.floats()
    let largest = elements.reduce(Float(0)) { $1.isFinite ? max($0, abs($1)) : $0 }
    for index in elements.indices { elements[index] += next() * size * largest }
    return TensorKind(type: tensor.type, shape: tensor.shape).tensor(elements)
  }

  /// A number between -1 and 1.
  private mutating func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-31
  }
}
