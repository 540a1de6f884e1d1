extension Operators {
  /// Graphs that are run once, many times, or not.
  static let controlFlow: [Operator] = [
    Operator(
      "If", ["then_branch", "else_branch"], inputs: 1...1, outputs: 1...Int(Int32.max), halves: .kept,
      values: {
        let condition = try $0.tensor(0)
        guard condition.type == .bool, condition.count == 1 else {
          throw ONNXError.malformed("the condition is not one truth value")
        }
        return try $0.run($0.program(condition.array(of: Bool.self)[0] ? "then_branch" : "else_branch"), [])
      }),
    Operator(
      "Loop", ["body"], inputs: 0...Int(Int32.max), outputs: 1...Int(Int32.max), halves: .kept, values: loop),
    Operator(
      "Scan",
      [
        "body", "num_scan_inputs", "scan_input_axes", "scan_output_axes", "scan_input_directions",
        "scan_output_directions", "directions",
      ], inputs: 0...Int(Int32.max), outputs: 1...Int(Int32.max), halves: .kept, values: scan),
    Operator(
      "SequenceMap", ["body"], inputs: 1...Int(Int32.max), outputs: 1...Int(Int32.max), halves: .kept,
      values: sequenceMap),
  ]

  @Sendable private static func loop(_ call: Call) throws -> [Value?] {
    let body = try call.program("body")
    let carriedCount = max(call.inputs.count - 2, 0)
    guard body.inputs.count == carriedCount + 2, body.outputs.count > carriedCount else {
      throw ONNXError.malformed("the body's inputs and outputs do not fit the loop's")
    }
    let limit = try call.exactIntegers(0).map { $0.first ?? 0 } ?? Int.max
    var goesOn = try call.optional(1).map { try truth($0) } ?? true
    var carried = try (2..<max(call.inputs.count, 2)).map { try call.value($0) }
    var collected = [[Tensor]](repeating: [], count: body.outputs.count - 1 - carriedCount)
    var bytes = 0
    var trip = 0
    while trip < limit, goesOn {
      let made = try call.run(
        body, [.tensor(Tensor(scalar: Int64(trip))), .tensor(Tensor([], [goesOn]))] + carried)
      goesOn = try truth(made[0].tensor("the condition"))
      carried = Array(made[1..<1 + carriedCount])
      for (index, value) in made[(1 + carriedCount)...].enumerated() {
        collected[index].append(try value.tensor("a scan output"))
        bytes += value.byteCount
      }
      guard bytes < Tensor.largest else { throw ONNXError.malformed("the loop makes more than memory holds") }
      trip += 1
    }
    return carried
      + (try zip(collected, body.outputs[(1 + carriedCount)...]).map { .tensor(try stacked($0, $1, axis: 0)) })
  }

  private static func truth(_ tensor: Tensor) throws -> Bool {
    guard tensor.type == .bool, tensor.count == 1 else {
      throw ONNXError.malformed("the condition is not one truth value")
    }
    return tensor.array(of: Bool.self)[0]
  }

  /// Tensors of one shape along a new axis; of none, nothing of the declared type.
  private static func stacked(_ tensors: [Tensor], _ output: Program.Output, axis: Int) throws -> Tensor {
    guard let first = tensors.first else {
      guard case .tensor(let number, let axes) = output.type, number != 0 else {
        throw ONNXError.malformed("nothing says of what type the empty output \"\(output.name)\" is")
      }
      let shape = (axes ?? []).map { if case .size(let size) = $0 { size } else { 0 } }
      return Tensor(try ElementType(number: number), [0] + shape, doubles: [])
    }
    let position = try Shape.axis(axis, rank: first.rank + 1)
    var shape = first.shape
    shape.insert(1, at: position)
    guard tensors.allSatisfy({ $0.shape == first.shape && $0.type == first.type }) else {
      throw ONNXError.malformed(
        "the shape of \"\(output.name)\" changes from one run of the body to the next")
    }
    return Tensor.joined(tensors.map { $0.reshaped(shape) }, axis: position)
  }

  @Sendable private static func scan(_ call: Call) throws -> [Value?] {
    let body = try call.program("body")
    let scanned = try call.int("num_scan_inputs", default: 0)
    guard call.version < 9 else {
      return try scan(call, body, call.inputs.indices.map { try call.value($0) }, scanned)
    }
    // Version 8 scans each image of a batch by itself.
    guard call.inputs.first.map({ $0 == nil }) ?? false else {
      throw ONNXError.unsupported("sequence lengths of version 8")
    }
    let inputs = try (1..<call.inputs.count).map { try call.tensor($0) }
    guard let batch = inputs.first?.shape.first, inputs.allSatisfy({ $0.shape.first == batch }), batch > 0
    else {
      throw ONNXError.malformed("the inputs have no batch axis in common")
    }
    var results: [[Tensor]] = []
    for image in 0..<batch {
      let parts = inputs.map {
        Value.tensor($0.slice(image..<image + 1, axis: 0).reshaped(Array($0.shape.dropFirst())))
      }
      results.append(try scan(call, body, parts, scanned).map { try $0.tensor("a result") })
    }
    return try results[0].indices.map { index in
      .tensor(try stacked(results.map { $0[index] }, body.outputs[index], axis: 0))
    }
  }

  private static func scan(_ call: Call, _ body: Program, _ values: [Value], _ scanned: Int) throws -> [Value]
  {
    let states = values.count - scanned
    let made = body.outputs.count - states
    guard scanned > 0, states >= 0, made >= 0 else {
      throw ONNXError.malformed("the body's inputs and outputs do not fit")
    }
    func list(_ name: String, _ count: Int) throws -> [Int] {
      let found = try call.ints(name) ?? [Int](repeating: 0, count: count)
      guard found.count == count else {
        throw ONNXError.malformed("attribute \"\(name)\" is \(found) for \(count)")
      }
      return found
    }
    let axes = try list("scan_input_axes", scanned)
    let reversed = try list(call.version < 9 ? "directions" : "scan_input_directions", scanned)
    let inputs = try values[states...].map { try $0.tensor("a scanned input") }
    let places = try zip(axes, inputs).map { try Shape.axis($0, rank: $1.rank) }
    guard let length = inputs.first?.shape[places[0]],
      zip(inputs, places).allSatisfy({ $0.shape[$1] == length })
    else { throw ONNXError.malformed("the scanned axes differ in size") }
    var state = Array(values[..<states])
    var collected = [[Tensor]](repeating: [], count: made)
    for step in 0..<length {
      let parts = inputs.indices.map { index -> Value in
        let position = reversed[index] == 1 ? length - 1 - step : step
        var shape = inputs[index].shape
        shape.remove(at: places[index])
        return .tensor(inputs[index].slice(position..<position + 1, axis: places[index]).reshaped(shape))
      }
      let answers = try call.run(body, state + parts)
      state = Array(answers[..<states])
      for index in 0..<made { collected[index].append(try answers[states + index].tensor("a scan output")) }
    }
    let (outAxes, outReversed) = (
      try list("scan_output_axes", made), try list("scan_output_directions", made)
    )
    return try state
      + collected.indices.map { index in
        let order = outReversed[index] == 1 ? collected[index].reversed() : collected[index]
        return .tensor(try stacked(order, body.outputs[states + index], axis: outAxes[index]))
      }
  }

  @Sendable private static func sequenceMap(_ call: Call) throws -> [Value?] {
    let body = try call.program("body")
    guard case .sequence(let first) = try call.value(0) else {
      throw ONNXError.malformed("input 0 must be a sequence")
    }
    var collected = [[Value]](repeating: [], count: body.outputs.count)
    for index in first.indices {
      let values = try call.inputs.indices.map { input -> Value in
        guard case .sequence(let values) = try call.value(input) else { return try call.value(input) }
        guard values.count == first.count else { throw ONNXError.input("sequences of different lengths") }
        return values[index]
      }
      for (output, value) in try call.run(body, values).enumerated() { collected[output].append(value) }
    }
    return collected.map(Value.sequence)
  }
}
