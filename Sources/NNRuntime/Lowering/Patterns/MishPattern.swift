import NNRuntime
import ONNX

/// `Softplus(x)`, `Tanh`, `Mul(x, .)`.
enum MishPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    guard step.type == "Mul" else { return nil }
    for (x, gate) in program.orders(step) {
      guard let tanh = program.maker(gate, "Tanh"),
        let softplus = program.maker(tanh.inputSlots[0], "Softplus"), softplus.inputSlots[0] == x
      else { continue }
      return ProgramNode(.function(.mish), [softplus, tanh, step], inputs: [x])
    }
    return nil
  }
}
