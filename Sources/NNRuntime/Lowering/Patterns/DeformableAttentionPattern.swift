import NNRuntime
import ONNX

/// `GridSample` of each level, side by side along the last axis (`Concat`, or a stack before the last axis and `Reshape`), times
/// weights, `ReduceSum` over the last axis: the sampling of deformable attention, as PyTorch writes it.
enum DeformableAttentionPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    guard step.type == "ReduceSum", let product = program.maker(step.inputSlots[0], "Mul"),
      let rank = program.program.kind(product.outputSlots[0])?.shape.count, rank == 4,
      let axes = step.ints("axes")
        ?? program.program.constant(step.inputSlots.count > 1 ? step.inputSlots[1] : nil)?.integers(),
      axes == [-1] || axes == [3]
    else { return nil }
    for (samples, weights) in program.orders(product) {
      guard let found = levels(program, samples) else { continue }
      return ProgramNode(
        .sampling, found.samples + found.joints + [product, step],
        inputs: found.samples.map { $0.inputSlots[0] } + found.samples.map { $0.inputSlots[1] } + [weights])
    }
    return nil
  }

  /// The steps that sample, and those that bring the samples side by side.
  private static func levels(
    _ program: PatternProgram, _ slot: Int
  ) -> (samples: [ONNXStep], joints: [ONNXStep])? {
    if let sample = program.maker(slot, "GridSample") { return ([sample], []) }
    if let joint = program.maker(slot, "Concat"), [-1, 3].contains(joint.int("axis")) {
      let samples = joint.inputSlots.compactMap { program.maker($0, "GridSample") }
      return samples.count == joint.inputSlots.count ? (samples, [joint]) : nil
    }
    // (groups, channels, queries, levels, points), the last two as one.
    guard let flattened = program.maker(slot, "Reshape"),
      let stack = program.maker(flattened.inputSlots[0], "Concat"), [-2, 3].contains(stack.int("axis")),
      let stacked = program.program.kind(stack.outputSlots[0])?.shape, stacked.count == 5,
      let flat = program.program.kind(slot)?.shape, flat == Array(stacked[..<3]) + [stacked[3] * stacked[4]]
    else { return nil }
    let parts = stack.inputSlots.compactMap { program.maker($0, "Unsqueeze", "Reshape") }
    let samples = parts.compactMap { program.maker($0.inputSlots[0], "GridSample") }
    guard samples.count == stack.inputSlots.count,
      zip(parts, samples).allSatisfy({ part, sample in
        guard let shape = program.program.kind(sample.outputSlots[0])?.shape, shape.count == 4 else {
          return false
        }
        return program.program.kind(part.outputSlots[0])?.shape == Array(shape[..<3]) + [1, shape[3]]
      })
    else { return nil }
    return (samples, parts + [stack, flattened])
  }
}
