import NNRuntime
import ONNX

/// `Sigmoid(x)`, `Mul(x, .)`.
enum SiLUPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    guard step.type == "Mul" else { return nil }
    for (x, gate) in program.orders(step) {
      guard let sigmoid = program.maker(gate, "Sigmoid"), sigmoid.inputSlots[0] == x else { continue }
      return ProgramNode(.activation(.silu), [sigmoid, step], inputs: [x])
    }
    return nil
  }
}
