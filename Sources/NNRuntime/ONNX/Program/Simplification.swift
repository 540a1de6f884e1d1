extension Program {
  /// Bytes that a folded value may take: files repeat small constants to large ones, to save room.
  private static let mostFolded = 1 << 22
  /// Elements of whatever is made for it.
  private static let mostElements = 1 << 22

  /// The program without what is known beforehand and without what is not read.
  ///
  /// Steps of constants alone are run once, here; one that fails then is left to fail, if it is ever reached.
  ///
  /// - `computing`: large results that are a file's elements in another order or type are computed whenever they are
  ///   read; for a program that runs once a run.
  func simplified(computing: Bool) -> Program {
    // What a loop reads is read again and again.
    let computing = computing && steps.allSatisfy(\.programs.isEmpty)
    var (known, rest) = (constants, [Step]())
    let given = Set(inputs.map(\.slot))
    for step in steps {
      guard let implementation = step.implementation, implementation.isPure, step.programs.isEmpty,
        step.inputs.allSatisfy({ $0.map { known[$0] != nil && !given.contains($0) } ?? true })
      else {
        rest.append(step)
        continue
      }
      let values = step.inputs.map { $0.flatMap { known[$0] } }
      let call = Call(step, inputs: values, slots: [], budget: RunBudget())
      let run = Result { try Shape.$most.withValue(Self.mostElements) { try implementation.run(call) } }
      guard case .success(let made) = run,
        made.allSatisfy({ ($0?.byteCount ?? 0) <= Self.mostFolded })
      else {
        rest.append(step)
        continue
      }
      let kept = computing ? step.recomputed(made, of: values) : made
      for (slot, value) in zip(step.outputs, kept) { if let slot { known[slot] = value } }
    }
    var needed = Set(outputs.map(\.slot))
    var kept: [Step] = []
    for step in rest.reversed() {
      guard step.outputs.contains(where: { $0.map(needed.contains) ?? false }) else { continue }
      needed.formUnion(step.reads)
      kept.append(step)
    }
    return Program(
      inputs: inputs, outputs: outputs, steps: kept.reversed(),
      constants: known.filter { needed.contains($0.key) || given.contains($0.key) },
      captures: captures, slotCount: slotCount, names: names)
  }
}

extension Value {
  /// Bytes in memory, but for those of a mapped file.
  var byteCount: Int {
    switch self {
    case .tensor(let tensor): tensor.count * max(tensor.type.bits, 8) / 8
    case .sequence(let values): values.map(\.byteCount).reduce(0, +)
    case .optional(let value): value?.byteCount ?? 0
    }
  }
}
