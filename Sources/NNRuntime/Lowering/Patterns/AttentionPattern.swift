import NNRuntime
import ONNX

/// `MatMul(q, k)`, a factor maybe, known addends maybe (masks, biases by position), `Softmax` over the last axis, `MatMul`
/// with values, on either side.
///
/// Factors on queries and keys are those of their tensors. Addends that are computed are no such pattern.
enum AttentionPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    guard step.type == "MatMul", let first = step.inputSlots[0], let second = step.inputSlots[1] else {
      return nil
    }
    if let found = weights(program, first) {
      return ProgramNode(
        .attention(
          .init(
            scale: found.scale, keysTransposed: true, valuesTransposed: false, addends: found.addends)),
        found.steps + [step],
        inputs: [found.query, found.key, second])
    }
    // values (..., width, tokens) times the transposed weights
    guard let transpose = program.maker(second, "Transpose"), let order = transpose.ints("perm"),
      isSwap(order), let inner = transpose.inputSlots[0], let found = weights(program, inner)
    else { return nil }
    return ProgramNode(
      .attention(
        .init(scale: found.scale, keysTransposed: true, valuesTransposed: true, addends: found.addends)),
      found.steps + [transpose, step], inputs: [found.query, found.key, first])
  }

  private static func isSwap(_ order: [Int]) -> Bool {
    let rank = order.count
    return rank >= 2 && order == Array(0..<rank - 2) + [rank - 1, rank - 2]
  }

  private struct Found {
    var query, key: Int
    var scale: Float
    var addends: (slot: Int, factor: Float)?
    var steps: [ONNXStep]
  }

  private static func weights(_ program: PatternProgram, _ slot: Int) -> Found? {
    var steps: [ONNXStep] = []
    var slot = slot
    // What is not a number becomes zero: softmax has none of those where no row is wholly masked.
    if let guarded = program.maker(slot, "Where"), let test = program.maker(guarded.inputSlots[0], "IsNaN"),
      program.scalar(guarded.inputSlots[1]) == 0, let inner = guarded.inputSlots[2],
      test.inputSlots[0] == inner
    {
      steps = [test, guarded]
      slot = inner
    }
    guard let softmax = program.maker(slot, "Softmax"), let rank = program.program.kind(slot)?.shape.count,
      softmax.version >= 13 || rank == 2,
      [-1, rank - 1].contains(softmax.int("axis") ?? (softmax.version >= 13 ? -1 : 1)),
      var scores = softmax.inputSlots[0]
    else { return nil }
    steps.insert(softmax, at: 0)
    var scale: Float = 1
    var addends: (slot: Int, factor: Float)?
    while let step = program.maker(scores, "Mul", "Div", "Add") {
      let other: Int
      if step.type == "Add" {
        guard let sum = program.orders(step).first(where: { program.program.constant($0.1) != nil }) else {
          return nil
        }
        if !program.isZero(sum.1) {
          guard addends == nil else { return nil }
          addends = (sum.1, scale)
        }
        other = sum.0
      } else {
        guard let (number, operand) = program.operand(step) else { return nil }
        scale *= step.type == "Mul" ? number : 1 / number
        other = operand
      }
      guard program.program.kind(other) == program.program.kind(scores) else { return nil }
      steps.insert(step, at: 0)
      scores = other
    }
    guard let product = program.maker(scores, "MatMul"), let query = product.inputSlots[0],
      let key = product.inputSlots[1]
    else { return nil }
    steps.insert(product, at: 0)
    return Found(query: query, key: key, scale: scale, addends: addends, steps: steps)
  }
}
