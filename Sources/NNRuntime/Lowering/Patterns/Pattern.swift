import NNRuntime
import ONNX

/// Several steps that together are one operation of the engine.
protocol Pattern: SendableMetatype {
  /// The node that ends with the step at `index`; nil where there is no such pattern.
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode?
}

/// All patterns; of several that end with a step, the first counts.
private let patterns: [any Pattern.Type] = [
  AttentionPattern.self, LayerNormPattern.self, GELUPattern.self, HardSwishPattern.self, SiLUPattern.self,
  MishPattern.self, DeformableAttentionPattern.self,
]

/// A program as patterns see it: who makes what, and who else reads it.
struct PatternProgram {
  let program: FixedProgram

  /// The program's nodes: patterns, and the steps that belong to none.
  func nodes() -> [ProgramNode] {
    var taken = Set<Int>()
    var found: [Int: ProgramNode] = [:]
    for index in program.steps.indices.reversed() where !taken.contains(index) {
      for pattern in patterns {
        guard let node = pattern.match(self, endingAt: index) else { continue }
        let inner = node.steps.compactMap { $0.outputSlots.first ?? nil }.compactMap { program.makers[$0] }
        guard taken.isDisjoint(with: inner), isClosed(inner, but: index) else { continue }
        taken.formUnion(inner)
        found[index] = node
        break
      }
    }
    return program.steps.indices.compactMap { index in
      found[index] ?? (taken.contains(index) ? nil : ProgramNode(program.steps[index]))
    }
  }

  /// Whether nothing but the steps themselves reads what they make, the last one's apart.
  private func isClosed(_ inner: [Int], but last: Int) -> Bool {
    let set = Set(inner)
    return inner.allSatisfy { index in
      index == last
        || program.steps[index].outputSlots.compactMap(\.self).allSatisfy {
          (program.readers[$0] ?? []).allSatisfy(set.contains)
        }
    }
  }

  /// The step that makes a value, if it is of one of these types.
  func maker(_ slot: Int?, _ types: String...) -> ONNXStep? {
    guard let slot, let index = program.makers[slot] else { return nil }
    let step = program.steps[index]
    return types.contains(step.type) && step.defect == nil ? step : nil
  }

  /// A known value that is a single number.
  func scalar(_ slot: Int?) -> Float? {
    guard let tensor = program.constant(slot), tensor.type.isHeldAsFloat, tensor.count == 1 else {
      return nil
    }
    return tensor.floats()[0]
  }

  /// Whether a known value is all zeros.
  func isZero(_ slot: Int) -> Bool {
    guard let tensor = program.constant(slot), tensor.type.isHeldAsFloat else { return false }
    return tensor.floats().allSatisfy { $0 == 0 }
  }

  /// The constant among a step's two operands, and the other operand.
  func operand(_ step: ONNXStep) -> (number: Float, other: Int)? {
    guard step.inputSlots.count == 2, let a = step.inputSlots[0], let b = step.inputSlots[1] else {
      return nil
    }
    if let number = scalar(b), program.known[a] == nil, isShaped(step, as: a) { return (number, a) }
    if step.type == "Add" || step.type == "Mul", let number = scalar(a), program.known[b] == nil,
      isShaped(step, as: b)
    {
      return (number, b)
    }
    return nil
  }

  /// Whether the result of a step has the shape of one of its operands.
  private func isShaped(_ step: ONNXStep, as slot: Int) -> Bool {
    program.kind(slot) != nil && program.kind(step.outputSlots[0]) == program.kind(slot)
  }

  /// The two operands of a step, in both orders.
  func orders(_ step: ONNXStep) -> [(Int, Int)] {
    guard step.inputSlots.count == 2, let a = step.inputSlots[0], let b = step.inputSlots[1] else {
      return []
    }
    return [(a, b), (b, a)]
  }
}

/// Whether two numbers are one, but for the rounding of who wrote them.
func isNear(_ a: Float, _ b: Float) -> Bool { abs(a - b) <= 1e-5 * max(abs(a), abs(b)) }
