import NNRuntime
import ONNX

/// x times a gate: `HardSigmoid(x)` of slope 1/6, or `Clip(x + 3, 0, 6)` where 1/6 is multiplied in or divided by before
/// or after the product.
enum HardSwishPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    if step.type == "Mul" {
      for (x, gate) in program.orders(step) {
        if let steps = sixth(program, gate, of: x) {
          return ProgramNode(.activation(.hardSwish), steps + [step], inputs: [x])
        }
      }
    }
    // (x * clip) / 6
    guard let product = scaledBySixth(program, step), let multiply = program.maker(product, "Mul") else {
      return nil
    }
    for (x, gate) in program.orders(multiply) {
      guard let steps = clip(program, gate, of: x) else { continue }
      return ProgramNode(.activation(.hardSwish), steps + [multiply, step], inputs: [x])
    }
    return nil
  }

  /// The steps of min(max(x + 3, 0), 6) / 6.
  private static func sixth(_ program: PatternProgram, _ slot: Int, of x: Int) -> [ONNXStep]? {
    if let gate = program.maker(slot, "HardSigmoid"), gate.inputSlots[0] == x {
      let (alpha, beta) = (gate.float("alpha") ?? 0.2, gate.float("beta") ?? 0.5)
      return isNear(alpha, 1 / 6) && beta == 0.5 ? [gate] : nil
    }
    guard let step = program.maker(slot, "Mul", "Div"), let inner = scaledBySixth(program, step),
      let steps = clip(program, inner, of: x)
    else { return nil }
    return steps + [step]
  }

  /// The operand that a step divides by six; nil where it does not.
  private static func scaledBySixth(_ program: PatternProgram, _ step: ONNXStep) -> Int? {
    guard let (number, other) = program.operand(step) else { return nil }
    switch step.type {
    case "Mul": return isNear(number, 1 / 6) ? other : nil
    case "Div": return number == 6 ? other : nil
    default: return nil
    }
  }

  /// The steps of min(max(x + 3, 0), 6).
  private static func clip(_ program: PatternProgram, _ slot: Int, of x: Int) -> [ONNXStep]? {
    guard let clip = program.maker(slot, "Clip"), let bounds = ClipBounds(clip, program.program),
      bounds.low == 0, bounds.high == 6, let sum = program.maker(clip.inputSlots[0], "Add"),
      let (number, other) = program.operand(sum), number == 3, other == x
    else { return nil }
    return [sum, clip]
  }
}
