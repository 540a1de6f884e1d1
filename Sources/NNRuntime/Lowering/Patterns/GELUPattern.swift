import NNRuntime
import ONNX

/// GELU spelled out: by erf, and by tanh.
///
/// x/2 (1 + erf(x / sqrt 2)) with its factors in any order, and x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
enum GELUPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    guard step.type == "Mul" else { return nil }
    // Factors of the product: a half, x, and one plus a function, in any order.
    guard let (factors, products, half) = factors(program, step), factors.count == 2, half == 0.5 else {
      return nil
    }
    for (x, sum) in [(factors[0], factors[1]), (factors[1], factors[0])] {
      guard let add = program.maker(sum, "Add"), let (one, inner) = program.operand(add), one == 1 else {
        continue
      }
      if let erf = program.maker(inner, "Erf"), let scaled = erf.inputSlots[0],
        let steps = overRootTwo(program, scaled, of: x)
      {
        return ProgramNode(.activation(.gelu), steps + [erf, add] + products, inputs: [x])
      }
      if let tanh = program.maker(inner, "Tanh"), let argument = tanh.inputSlots[0],
        let steps = cubic(program, argument, of: x)
      {
        return ProgramNode(.function(.tanhGELU), steps + [tanh, add] + products, inputs: [x])
      }
    }
    return nil
  }

  /// The factors of up to two nested products, the products, the last one last, and the number among them.
  private static func factors(
    _ program: PatternProgram, _ step: ONNXStep
  ) -> (factors: [Int], products: [ONNXStep], half: Float)? {
    if let (number, other) = program.operand(step), let inner = program.maker(other, "Mul"),
      let pair = program.orders(inner).first
    {
      return ([pair.0, pair.1], [inner, step], number)
    }
    for (a, b) in program.orders(step) {
      guard let inner = program.maker(a, "Mul"), let (number, other) = program.operand(inner) else {
        continue
      }
      return ([other, b], [inner, step], number)
    }
    return nil
  }

  private static func overRootTwo(_ program: PatternProgram, _ slot: Int, of x: Int) -> [ONNXStep]? {
    guard let step = program.maker(slot, "Div", "Mul"), let (number, other) = program.operand(step),
      other == x,
      isNear(number, step.type == "Div" ? 1.414_213_56 : 0.707_106_78)
    else { return nil }
    return [step]
  }

  /// The steps of sqrt(2/pi) (x + 0.044715 x^3).
  private static func cubic(_ program: PatternProgram, _ slot: Int, of x: Int) -> [ONNXStep]? {
    guard let outer = program.maker(slot, "Mul"), let (root, sum) = program.operand(outer),
      isNear(root, 0.797_884_56), let add = program.maker(sum, "Add")
    else { return nil }
    for (a, b) in program.orders(add) where a == x {
      guard let scaled = program.maker(b, "Mul"), let (factor, cube) = program.operand(scaled),
        isNear(factor, 0.044715), let power = program.maker(cube, "Pow"),
        let (three, base) = program.operand(power),
        three == 3, base == x
      else { continue }
      return [power, scaled, add, outer]
    }
    return nil
  }
}
