import NNRuntime

extension CheckpointSource {
  /// Proves that the tensors are exactly those that a network asks for.
  func check(against layout: WeightLayout) throws(CheckpointErrorAt) {
    for (name, expected) in layout.shapes.sorted(by: { $0.key < $1.key }) {
      guard let tensor = tensors[name] else {
        if layout.optional.contains(name) { continue }
        throw CheckpointErrorAt(.missing, name)
      }
      guard tensor.shape == expected else {
        throw CheckpointErrorAt(.wrongShape(found: tensor.shape, expected: expected), name)
      }
      guard tensor.dtype.isFloat else { throw CheckpointErrorAt(.notFloat(tensor.dtype.rawValue), name) }
    }
    if let extra = tensors.keys.sorted().first(where: { layout.shapes[$0] == nil }) {
      throw CheckpointErrorAt(.unexpected, extra)
    }
  }
}
