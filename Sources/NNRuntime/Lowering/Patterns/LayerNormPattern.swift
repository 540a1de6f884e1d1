import NNRuntime
import ONNX

/// A normalization over the last axis, spelled out: `ReduceMean, Sub, Pow 2 (or a product with itself), ReduceMean, Add,
/// Sqrt, Div`, and a factor and an addend after that.
enum LayerNormPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    if step.type == "Add" {
      for (product, shift) in program.orders(step) {
        guard let beta = vector(program, shift), let multiply = program.maker(product, "Mul") else {
          continue
        }
        for (normal, factor) in program.orders(multiply) {
          guard let gamma = vector(program, factor), let found = quotient(program, normal),
            gamma.count == found.width, beta.count == found.width
          else { continue }
          return ProgramNode(
            .layerNorm(gamma: gamma, beta: beta, epsilon: found.epsilon), found.steps + [multiply, step],
            inputs: [found.x])
        }
      }
      return nil
    }
    guard step.type == "Div", let slot = step.outputSlots[0], let found = quotient(program, slot) else {
      return nil
    }
    return ProgramNode(
      .layerNorm(gamma: nil, beta: nil, epsilon: found.epsilon), found.steps, inputs: [found.x])
  }

  private static func vector(_ program: PatternProgram, _ slot: Int) -> [Float]? {
    guard let tensor = program.program.constant(slot), tensor.type.isHeldAsFloat,
      tensor.shape == [tensor.count]
    else { return nil }
    return tensor.floats()
  }

  private struct Found {
    var x: Int
    var epsilon: Float
    var width: Int
    var steps: [ONNXStep]
  }

  /// (x - mean) / sqrt(variance + epsilon).
  private static func quotient(_ program: PatternProgram, _ slot: Int) -> Found? {
    guard let divide = program.maker(slot, "Div"), let numerator = divide.inputSlots[0],
      let difference = program.maker(numerator, "Sub"), let x = difference.inputSlots[0],
      let mean = program.maker(difference.inputSlots[1], "ReduceMean"), mean.inputSlots[0] == x,
      let root = program.maker(divide.inputSlots[1], "Sqrt"),
      let sum = program.maker(root.inputSlots[0], "Add"), let (epsilon, inner) = program.operand(sum),
      let variance = program.maker(inner, "ReduceMean"), let squareSlot = variance.inputSlots[0],
      let square = program.maker(squareSlot, "Pow", "Mul"),
      let shape = program.program.kind(x)?.shape, let width = shape.last,
      isOverLast(program, mean, shape.count), isOverLast(program, variance, shape.count)
    else { return nil }
    var steps = [mean, difference]
    let based = square.inputSlots[0]
    if square.type == "Pow" {
      guard program.scalar(square.inputSlots[1]) == 2 else { return nil }
    } else {
      guard square.inputSlots[0] == square.inputSlots[1] else { return nil }
    }
    if based != numerator {
      // Some exporters subtract twice.
      guard let again = program.maker(based, "Sub"), again.inputSlots == difference.inputSlots else {
        return nil
      }
      steps.append(again)
    }
    return Found(
      x: x, epsilon: epsilon, width: width, steps: steps + [square, variance, sum, root, divide])
  }

  private static func isOverLast(_ program: PatternProgram, _ step: ONNXStep, _ rank: Int) -> Bool {
    guard step.int("keepdims") ?? 1 == 1, step.inputSlots.count < 2 || step.ints("axes") == nil else {
      return false
    }
    let given =
      step.ints("axes")
      ?? (step.inputSlots.count > 1 ? program.program.constant(step.inputSlots[1])?.integers() : nil)
    return given == [-1] || given == [rank - 1]
  }
}
