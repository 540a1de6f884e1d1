import FileFormats

extension Program {
  /// Runs the program.
  ///
  /// `values` are the inputs in order, nil takes the initializer; `captured` those of the enclosing program, in the
  /// order of `captures`; `observer` sees what every step makes; `replacing` says what is gone on with instead of it, by
  /// the numbers of the values.
  func run(
    _ values: [Value?], captured: [Value?] = [], observer: ((Step, [Value?]) throws -> Void)? = nil,
    replacing: ((Step, [Value?]) throws -> [Value?])? = nil, within budget: RunBudget = RunBudget()
  ) throws -> [Value] {
    var alive = 0
    defer { budget.remove(alive) }
    var slots = [Value?](repeating: nil, count: slotCount)
    for (slot, value) in constants { slots[slot] = value }
    for (capture, value) in zip(captures, captured) { slots[capture.inner] = value }
    for (input, value) in zip(inputs, values) {
      if let value { slots[input.slot] = value }
      guard slots[input.slot] != nil else {
        throw ONNXError.input("the input \"\(input.name)\" is missing")
      }
    }
    for (index, step) in steps.enumerated() {
      var made = try step.run(slots, within: budget)
      if let replacing { made = try replacing(step, made) }
      let size = zip(step.outputs, made).reduce(0) { $0 + ($1.0 == nil ? 0 : $1.1?.byteCount ?? 0) }
      try budget.add(size)
      alive += size
      for (slot, value) in zip(step.outputs, made) { if let slot { slots[slot] = value } }
      try observer?(step, made)
      for slot in released[index] {
        // Inputs and captured values are others' to count.
        if let value = slots[slot], isMade[slot] {
          alive -= value.byteCount
          budget.remove(value.byteCount)
        }
        slots[slot] = nil
      }
    }
    return try outputs.map { output in
      guard let value = slots[output.slot] else {
        throw ONNXError.malformed("the output \"\(output.name)\" has no value")
      }
      return value
    }
  }

  /// The first step that cannot be run, here or in a subprogram.
  package var defect: ONNXError? {
    for step in steps {
      if let defect = step.defect { return defect }
      for program in step.programs { if let defect = program.defect { return defect } }
    }
    return nil
  }
}

extension Step {
  func run(_ slots: [Value?], within budget: RunBudget) throws -> [Value?] {
    if let defect { throw defect }
    let call = Call(self, inputs: inputs.map { $0.flatMap { slots[$0] } }, slots: slots, budget: budget)
    do {
      let made = try implementation!.run(call)
      guard made.count >= outputs.count || outputs[made.count...].allSatisfy({ $0 == nil }) else {
        throw ONNXError.malformed("it makes \(counted(made.count, "value")), not \(outputs.count)")
      }
      return made
    } catch let error as ONNXError {
      if case .node = error { throw error }
      throw ONNXError.node(name: name, type: type, error)
    }
  }
}
