extension Operators {
  /// Elements by index.
  static let gathering: [Operator] = [
    Operator("Gather", ["axis"], inputs: 2...2, halves: .kept) { call in
      let (tensor, indices) = (try call.tensor(0), try call.tensor(1))
      let axis = try Shape.axis(call.int("axis", default: 0), rank: tensor.rank)
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      positions[axis] = try indexed(indices, within: tensor.shape[axis])
      return try tensor.selecting(positions)
        .reshaped(tensor.shape[..<axis] + indices.shape + tensor.shape[(axis + 1)...])
    },
    Operator("GatherElements", ["axis"], inputs: 2...2, halves: .kept) { call in
      let (tensor, indices) = (try call.tensor(0), try call.tensor(1))
      let axis = try Shape.axis(call.int("axis", default: 0), rank: tensor.rank)
      return tensor.picking(try elementPositions(tensor.shape, indices, axis), shape: indices.shape)
    },
    Operator("GatherND", ["batch_dims"], inputs: 2...2, halves: .kept) { call in
      let (tensor, indices) = (try call.tensor(0), try call.tensor(1))
      let batch = try call.int("batch_dims", default: 0)
      guard let depth = indices.shape.last, batch >= 0, batch < indices.rank, batch + depth <= tensor.rank,
        tensor.shape[..<batch] == indices.shape[..<batch]
      else { throw ONNXError.malformed("the indices do not fit the input") }
      let starts = try tuplePositions(tensor.shape, indices, batch: batch)
      let inner = Array(tensor.shape[(batch + depth)...])
      let width = inner.reduce(1, *)
      let shape = indices.shape.dropLast() + inner
      _ = try Shape.count(Array(shape), bits: tensor.type.bits)
      return tensor.picking(starts.flatMap { $0..<$0 + width }, shape: Array(shape))
    },
    Operator("Compress", ["axis"], inputs: 2...2, halves: .kept) { call in
      let (given, condition) = (try call.tensor(0), try call.tensor(1))
      guard condition.type == .bool else { throw unsupported(condition.type) }
      let axis = try call.int("axis")
      let tensor = axis == nil ? given.reshaped([given.count]) : given
      let position = try Shape.axis(axis ?? 0, rank: tensor.rank)
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      positions[position] = condition.array(of: Bool.self).prefix(tensor.shape[position]).enumerated()
        .filter(\.element).map(\.offset)
      return try tensor.selecting(positions)
    },
    Operator("NonZero", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type != .string else { throw unsupported(tensor.type) }
      let found = tensor.doubles().enumerated().filter { $0.element != 0 }.map(\.offset)
      let strides = Shape.strides(tensor.shape)
      return Tensor(
        [tensor.rank, found.count],
        tensor.shape.indices.flatMap { axis in found.map { Int64($0 / strides[axis] % tensor.shape[axis]) } })
    },
  ]

  /// Indices counted from the front.
  static func indexed(_ indices: Tensor, within size: Int) throws -> [Int] {
    guard indices.type.isInteger else { throw ONNXError.malformed("the indices must be integers") }
    return try indices.integers().map { index in
      guard index >= -size, index < size else {
        throw ONNXError.input("index \(index) of an axis of \(size)")
      }
      return index < 0 ? index + size : index
    }
  }

  /// Where the elements lie that indices name along one axis.
  static func elementPositions(_ shape: [Int], _ indices: Tensor, _ axis: Int) throws -> [Int] {
    guard indices.rank == shape.count,
      shape.indices.allSatisfy({ $0 == axis || indices.shape[$0] <= shape[$0] })
    else { throw ONNXError.malformed("the indices do not fit the input") }
    let numbers = try indexed(indices, within: shape[axis])
    let strides = Shape.strides(shape)
    var others = strides
    others[axis] = 0
    var positions: [Int] = []
    positions.reserveCapacity(numbers.count)
    let (width, step) = (indices.shape.last ?? 1, others.last ?? 0)
    Shape.forEachRow(indices.shape, [others]) { offsets in
      for index in 0..<width {
        positions.append(offsets[0] + index * step + numbers[positions.count] * strides[axis])
      }
    }
    return positions
  }

  /// Where the parts begin that tuples of indices name.
  static func tuplePositions(_ shape: [Int], _ indices: Tensor, batch: Int = 0) throws -> [Int] {
    guard indices.type.isInteger else { throw ONNXError.malformed("the indices must be integers") }
    let depth = indices.shape.last!
    let (numbers, strides) = (indices.integers(), Shape.strides(shape))
    let tuples = indices.shape.dropLast().reduce(1, *)
    let batches = shape[..<batch].reduce(1, *)
    let perBatch = batches == 0 ? 0 : tuples / batches
    let batchSize = shape[batch...].reduce(1, *)
    return try (0..<tuples).map { tuple in
      var flat = tuple / max(perBatch, 1) * (batch > 0 ? batchSize : 0)
      for position in 0..<depth {
        let (index, size) = (numbers[tuple * depth + position], shape[batch + position])
        guard index >= -size, index < size else {
          throw ONNXError.input("index \(index) of an axis of \(size)")
        }
        flat += (index < 0 ? index + size : index) * strides[batch + position]
      }
      return flat
    }
  }
}
