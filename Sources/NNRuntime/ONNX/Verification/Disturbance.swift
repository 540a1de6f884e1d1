import FileFormats

/// Seeded errors of either sign.
package struct Disturbance {
  /// Half a unit in the last place of single precision: the error of one rounding.
  package static let rounding: Float = 0x1p-24

  /// The factor from a layer's isolated difference to the errors added to its result: the difference that was found is one
  /// draw of those possible.
  package static let ofIsolated: Float = 4

  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The tensor with an error added to each element.
  ///
  /// - `size`: bound of an error, as a share of the largest element.
  package mutating func applied(to tensor: Tensor, _ size: Float) -> Tensor {
    if tensor.type == .double {
      var elements = tensor.doubles()
      let largest = elements.reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
      for index in elements.indices { elements[index] += Double(random.signed() * size) * largest }
      return Tensor(.double, tensor.shape, doubles: elements)
    }
    guard tensor.type == .float || tensor.type.isHalf else { return tensor }
    var elements = tensor.floats()
    let largest = elements.reduce(Float(0)) { $1.isFinite ? max($0, abs($1)) : $0 }
    for index in elements.indices { elements[index] += random.signed() * size * largest }
    return tensor.type == .float
      ? Tensor(tensor.shape, elements)
      : Tensor(tensor.type, tensor.shape, doubles: elements.map(Double.init))
  }
}
