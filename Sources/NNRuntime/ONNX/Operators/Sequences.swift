extension Operators {
  /// Sequences and optional values.
  static let sequences: [Operator] = [
    Operator("SequenceEmpty", ["dtype"], inputs: 0...0, halves: .kept, values: { _ in [.sequence([])] }),
    Operator(
      "SequenceConstruct", inputs: 1...Int(Int32.max), halves: .kept,
      values: { call in
        [.sequence(try call.inputs.indices.map { try call.value($0) })]
      }),
    Operator("SequenceLength", inputs: 1...1, halves: .kept) {
      Tensor(scalar: Int64(try sequence($0).count))
    },
    Operator(
      "SequenceAt", inputs: 2...2, halves: .kept,
      values: { call in
        let values = try sequence(call)
        return [values[try position(call, 1, values.count)]]
      }),
    Operator(
      "SequenceErase", inputs: 1...2, halves: .kept,
      values: { call in
        var values = try sequence(call)
        values.remove(at: try position(call, 1, values.count, default: values.count - 1))
        return [.sequence(values)]
      }),
    Operator(
      "SequenceInsert", inputs: 2...3, halves: .kept,
      values: { call in
        var values = try sequence(call)
        values.insert(
          try call.value(1), at: try position(call, 2, values.count, default: values.count, end: 1))
        return [.sequence(values)]
      }),
    Operator("ConcatFromSequence", ["axis", "new_axis"], inputs: 1...1, halves: .kept) { call in
      let tensors = try sequence(call).map { try $0.tensor("an element") }
      guard let first = tensors.first else { throw ONNXError.input("an empty sequence cannot be joined") }
      let axis = try call.int("axis", default: 0)
      guard try call.flag("new_axis") else { return try concatenated(tensors, axis: axis) }
      let place = try Shape.axis(axis, rank: first.rank + 1)
      return try concatenated(
        tensors.map { tensor in
          guard place <= tensor.rank else { throw ONNXError.malformed("elements of different axes") }
          return tensor.reshaped(tensor.shape[..<place] + [1] + tensor.shape[place...])
        }, axis: place)
    },
    Operator(
      "SplitToSequence", ["axis", "keepdims"], inputs: 1...2, halves: .kept,
      values: { call in
        let tensor = try call.tensor(0)
        let axis = try Shape.axis(call.int("axis", default: 0), rank: tensor.rank)
        let size = tensor.shape[axis]
        guard try call.optional(1)?.type.isInteger ?? true else {
          throw ONNXError.malformed("the parts' sizes must be whole numbers")
        }
        guard let given = try call.optional(1) else {
          let parts = try split(tensor, [Int](repeating: 1, count: size), axis)
          if try call.flag("keepdims", default: true) { return [.sequence(parts.map(Value.tensor))] }
          var shape = tensor.shape
          shape.remove(at: axis)
          return [.sequence(parts.map { .tensor($0.reshaped(shape)) })]
        }
        var sizes = given.integers()
        if given.rank == 0 {
          let part = sizes[0]
          guard part > 0 else { throw ONNXError.malformed("parts of \(part)") }
          sizes = stride(from: 0, to: size, by: part).map { min(part, size - $0) }
        }
        return [.sequence(try split(tensor, sizes, axis).map(Value.tensor))]
      }),
    Operator(
      "Optional", ["type"], inputs: 0...1, halves: .kept,
      values: { call in
        [.optional(call.inputs.first ?? nil)]
      }),
    Operator("OptionalHasElement", inputs: 0...1, halves: .kept) { call in
      guard let given = call.inputs.first, let value = given else { return Tensor([], [false]) }
      if case .optional(nil) = value { return Tensor([], [false]) }
      return Tensor([], [true])
    },
    Operator(
      "OptionalGetElement", inputs: 1...1, halves: .kept,
      values: { call in
        let value = try call.value(0)
        guard case .optional(let element) = value else { return [value] }
        guard let element else { throw ONNXError.input("the optional value is not there") }
        return [element]
      }),
  ]

  private static func sequence(_ call: Call) throws -> [Value] {
    switch try call.value(0) {
    case .sequence(let values), .optional(.some(.sequence(let values))): return values
    default: throw ONNXError.malformed("input 0 must be a sequence")
    }
  }

  private static func position(
    _ call: Call, _ input: Int, _ count: Int, default value: Int? = nil, end: Int = 0
  ) throws -> Int {
    guard let given = try call.integers(input)?.first ?? value else {
      throw ONNXError.malformed("there is no position")
    }
    let place = given < 0 ? given + count : given
    guard (0..<count + end).contains(place) else {
      throw ONNXError.input("position \(given) of a sequence of \(count)")
    }
    return place
  }
}
