extension Operators {
  /// Elements put, added or compared at indices.
  static let scattering: [Operator] = [
    Operator("ScatterElements", ["axis", "reduction"], inputs: 3...3, evaluate: scatterElements),
    Operator("Scatter", ["axis"], inputs: 3...3, evaluate: scatterElements),
    Operator("ScatterND", ["reduction"], inputs: 3...3) { call in
      let (tensor, indices, updates) = (try call.tensor(0), try call.tensor(1), try call.tensor(2))
      guard let depth = indices.shape.last, depth <= tensor.rank,
        updates.shape == Array(indices.shape.dropLast()) + tensor.shape[depth...]
      else { throw ONNXError.malformed("the indices or the updates do not fit the input") }
      let width = tensor.shape[depth...].reduce(1, *)
      let starts = try tuplePositions(tensor.shape, indices)
      return try scattered(tensor, starts.flatMap { $0..<$0 + width }, updates, reduction(call))
    },
    Operator("TensorScatter", ["axis", "mode"], inputs: 2...3, halves: .kept) { call in
      let (cache, update) = (try call.tensor(0), try call.tensor(1))
      let axis = try Shape.axis(call.int("axis", default: -2), rank: cache.rank)
      let isCircular = try call.choice("mode", ["linear", "circular"]) == "circular"
      let starts = try call.integers(2) ?? [Int](repeating: 0, count: cache.shape.first ?? 0)
      guard axis > 0, starts.count == cache.shape[0], update.rank == cache.rank,
        cache.shape.indices.allSatisfy({ $0 == axis || cache.shape[$0] == update.shape[$0] }),
        starts.allSatisfy({ $0 >= 0 && $0 < 1 << 40 })
      else { throw ONNXError.malformed("the update does not fit the cache") }
      let (strides, size) = (Shape.strides(cache.shape), cache.shape[axis])
      var positions: [Int] = []
      try Shape.forEachIndex(update.shape) { index in
        var flat = 0
        for (other, position) in index.enumerated() {
          var place = other == axis ? position + starts[index[0]] : position
          if other == axis, isCircular { place %= max(size, 1) }
          guard place < cache.shape[other] else {
            throw ONNXError.input("the update reaches over the cache's end")
          }
          flat += place * strides[other]
        }
        positions.append(flat)
      }
      return try scattered(cache, positions, update, "none")
    },
  ]

  @Sendable private static func scatterElements(_ call: Call) throws -> Tensor {
    let (tensor, indices, updates) = (try call.tensor(0), try call.tensor(1), try call.tensor(2))
    let axis = try Shape.axis(call.int("axis", default: 0), rank: tensor.rank)
    guard updates.shape == indices.shape else {
      throw ONNXError.malformed("indices and updates differ in shape")
    }
    return try scattered(tensor, elementPositions(tensor.shape, indices, axis), updates, reduction(call))
  }

  private static func reduction(_ call: Call) throws -> String {
    try call.choice("reduction", ["none", "add", "mul", "max", "min"])
  }

  private static func scattered(
    _ tensor: Tensor, _ positions: [Int], _ updates: Tensor, _ reduction: String
  ) throws -> Tensor {
    func put<T: Element>(_: T.Type) -> Tensor {
      var (values, given) = (tensor.array(of: T.self), updates.array(of: T.self))
      for (index, position) in positions.enumerated() { values[position] = given[index] }
      given = []
      return Tensor(tensor.shape, values, type: tensor.type)
    }
    func combined<T: Number>(_: T.Type) -> Tensor {
      var values = tensor.array(of: T.self)
      let given = updates.array(of: T.self)
      let body =
        switch reduction {
        case "add": T.add
        case "mul": T.multiply
        case "max": T.greater
        default: T.lesser
        }
      for (index, position) in positions.enumerated() {
        values[position] = body(values[position], given[index])
      }
      return Tensor(tensor.shape, values, type: tensor.type)
    }
    if reduction == "none" { return put(tensor.type.storage) }
    guard let number = tensor.type.number else { throw unsupported(tensor.type) }
    return combined(number)
  }
}
