import NNRuntime
import ONNX

/// Activations and other functions of single elements.
enum FunctionRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    switch node.operation {
    case .activation(let activation): return operands.applying(activation).map { [$0] }
    case .function(let function): return operands.applying(function).map { [$0] }
    case .step, .layerNorm, .attention, .sampling: break
    }
    let step = node.step
    switch step.type {
    case "Relu": return operands.applying(.relu).map { [$0] }
    case "Sigmoid": return operands.applying(.sigmoid).map { [$0] }
    case "HardSwish": return operands.applying(.hardSwish).map { [$0] }
    case "LeakyRelu":
      return operands.applying(.leakyReLU(slope: step.float("alpha") ?? 0.01)).map { [$0] }
    case "Clip":
      guard let bounds = ClipBounds(step, operands.program) else { return nil }
      let isRectifier = bounds.low == 0 && bounds.high == .infinity
      return operands.applying(isRectifier ? .relu : .clip(low: bounds.low, high: bounds.high)).map { [$0] }
    case "HardSigmoid": return hardSigmoid(step, operands).map { [$0] }
    case "Gelu", "com.microsoft.Gelu":
      switch step.string("approximate") ?? "none" {
      case "none": return operands.applying(.gelu).map { [$0] }
      case "tanh": return operands.applying(.tanhGELU).map { [$0] }
      default: return nil
      }
    case "com.microsoft.QuickGelu":
      return operands.applying(.swish(factor: step.float("alpha") ?? 1.702)).map { [$0] }
    case "Swish": return operands.applying(.swish(factor: step.float("alpha") ?? 1)).map { [$0] }
    case "Elu": return operands.applying(.elu(alpha: step.float("alpha") ?? 1)).map { [$0] }
    case "Neg":
      guard var x = operands.tensor(0) else { return nil }
      x.factor = -x.factor
      return [x]
    default: return functions[step.type].flatMap { operands.applying($0) }.map { [$0] }
    }
  }

  static let types: [String] =
    [
      "Relu", "Sigmoid", "HardSwish", "LeakyRelu", "Clip", "HardSigmoid", "Gelu", "com.microsoft.Gelu",
      "com.microsoft.QuickGelu", "Swish", "Elu", "Neg",
    ] + functions.keys

  private static let functions: [String: ElementwiseFunction] = [
    "Tanh": .tanh, "Exp": .exp, "Log": .log, "Sqrt": .squareRoot, "Reciprocal": .reciprocal,
    "Abs": .magnitude, "Erf": .erf, "Softplus": .softplus, "Mish": .mish,
  ]

  private static func hardSigmoid(_ step: ONNXStep, _ operands: Operands) -> Lowered? {
    let (alpha, beta) = (step.float("alpha") ?? 0.2, step.float("beta") ?? 0.5)
    let (low, high) = (-beta / alpha, (1 - beta) / alpha)
    if low < high, low.isFinite, high.isFinite {
      return operands.applying(.clip(low: low, high: high, scale: alpha, shift: beta))
    }
    guard let x = operands.settled(0), let whole = operands.island.whole(x, operands.name) else { return nil }
    let channels = whole.map.channels
    let line = whole.value.affine(
      scale: [Float](repeating: alpha, count: channels), shift: [Float](repeating: beta, count: channels),
      name: operands.helper("line"))
    return Lowered(
      value: line.activation(.clip(low: 0, high: 1), name: operands.name), view: whole.view)
  }
}

/// The bounds of a `Clip`, which are attributes or known inputs.
struct ClipBounds {
  var low = -Float.infinity
  var high = Float.infinity

  /// nil where they are not known, or there is nothing between them.
  init?(_ step: ONNXStep, _ program: FixedProgram) {
    if let value = step.float("min") { low = value }
    if let value = step.float("max") { high = value }
    for (index, slot) in step.inputSlots.enumerated().dropFirst() {
      guard let slot else { continue }
      guard let tensor = program.constant(slot), tensor.type.isHeldAsFloat, tensor.count == 1 else {
        return nil
      }
      if index == 1 { low = tensor.floats()[0] } else { high = tensor.floats()[0] }
    }
    guard low <= high else { return nil }
  }
}

extension Operands {
  /// A function of every element of the first input.
  func applying(_ activation: Activation) -> Lowered? {
    guard let x = settled(0), let whole = island.whole(x, name) else { return nil }
    return Lowered(value: whole.value.activation(activation, name: name), view: whole.view)
  }

  /// A function of every element of the first input.
  func applying(_ function: ElementwiseFunction) -> Lowered? {
    guard let x = settled(0), let whole = island.whole(x, name) else { return nil }
    return Lowered(value: whole.value.mapped(function, name: name), view: whole.view)
  }
}

/// `PRelu` with a known slope: max(x, 0) + slope min(x, 0).
enum PReLURule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let x = operands.settled(0), let slope = operands.constant(1), slope.type.isHeldAsFloat,
      // Before the seventh version a list was one slope per channel, whichever axis it would broadcast along.
      node.step.version >= 7 || slope.count == 1, let (axis, slopes) = slope.vector(along: x.shape)
    else { return nil }
    if slopes.count == 1 || slopes.allSatisfy({ $0 == slopes[0] }) {
      return operands.applying(.leakyReLU(slope: slopes[0])).map { [$0] }
    }
    guard let found = operands.island.pixelwise(x, channels: axis, operands.name) else { return nil }
    let zeros = [Float](repeating: 0, count: slopes.count)
    let positive = found.value.relu(name: operands.helper("positive"))
    let negative = found.value
      .activation(.clip(low: -.infinity, high: 0), name: operands.helper("negative"))
      .affine(scale: slopes, shift: zeros, name: operands.helper("line"))
    return [Lowered(value: positive.adding(negative, name: operands.name), view: found.view)]
  }
}
