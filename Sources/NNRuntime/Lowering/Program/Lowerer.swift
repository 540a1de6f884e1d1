import NNRuntime
import ONNX

/// From a program of fixed shapes to islands, which the engine runs, and plain nodes between them.
///
/// Levels are counted from 0, what is given: even ones hold plain nodes, odd ones an island each. A node is at the lowest level
/// of its kind that is not before any of its operands.
struct Lowerer {
  fileprivate static let rules: [String: any Rule.Type] = {
    var rules: [String: any Rule.Type] = [
      "Conv": ConvolutionRule.self, "ConvTranspose": ConvTransposeRule.self,
      "BatchNormalization": BatchNormRule.self, "LayerNormalization": LayerNormRule.self,
      "Softmax": SoftmaxRule.self, "MatMul": ProductRule.self, "Gemm": GemmRule.self, "PRelu": PReLURule.self,
      "MaxPool": PoolRule.self, "AveragePool": PoolRule.self, "Concat": ConcatRule.self,
      "Resize": ResizeRule.self, "Upsample": ResizeRule.self, "Pad": PadRule.self,
      "GridSample": SamplingRule.self, "Einsum": EinsumRule.self,
    ]
    for type in FunctionRule.types { rules[type] = FunctionRule.self }
    for type in BinaryRule.types { rules[type] = BinaryRule.self }
    for type in ReductionRule.types { rules[type] = ReductionRule.self }
    for type in ViewRule.types { rules[type] = ViewRule.self }
    for type in QuantizationRule.types { rules[type] = QuantizationRule.self }
    return rules
  }()

  private let program: FixedProgram
  private let name: String
  private let batch: Int
  private var levels: [Int: Int] = [:]
  private(set) var islands: [Int: Island] = [:]
  /// Plain nodes by level.
  private(set) var plain: [Int: [ProgramNode]] = [:]

  init(_ program: FixedProgram, name: String) {
    self.program = program
    self.name = name
    let first = program.program.inputSlots.compactMap { program.kind($0) }.first
    batch = max(first.map { $0.shape.count > 1 ? $0.shape[0] : 1 } ?? 1, 1)
    for node in PatternProgram(program: program).nodes() { add(node) }
  }

  private mutating func add(_ node: ProgramNode) {
    if lower(node) { return }
    if node.steps.count > 1 { return node.steps.forEach { add(ProgramNode($0)) } }
    let before = level(of: node)
    let level = before + before % 2
    plain[level, default: []].append(node)
    for case let slot? in node.outputs { levels[slot] = level }
  }

  /// The highest level of what a node reads.
  private func level(of node: ProgramNode) -> Int {
    node.reads.filter { program.known[$0] == nil }.map { levels[$0] ?? 0 }.max() ?? 0
  }

  /// Makes layers of a node; whether a rule could.
  private mutating func lower(_ node: ProgramNode) -> Bool {
    let inputs = node.inputs.compactMap(\.self).filter { program.known[$0] == nil }
    guard !inputs.isEmpty, node.steps.allSatisfy({ $0.defect == nil }), let rule = rule(for: node),
      let kind = program.kind(node.outputs.first ?? nil), kind.count > 0,
      kind.type.isHeldAsFloat || node.step.type == "QuantizeLinear"
    else { return false }
    let before = level(of: node)
    let level = before + 1 - before % 2
    let island = islands[level] ?? Island(level: level, name: "\(name).\(level / 2)", batch: batch)
    let operands = Operands(node: node, program: program, island: island, name: island.unique(node.name))
    guard let made = rule.lower(node, operands), made.count <= node.outputs.count,
      zip(node.outputs, made).allSatisfy({ slot, tensor in
        slot == nil || tensor.shape == program.kind(slot)?.shape
      })
    else { return false }
    islands[level] = island
    for (slot, tensor) in zip(node.outputs, made) {
      guard let slot else { continue }
      island.tensors[slot] = tensor
      if program.kind(slot)?.type.isHeldAsFloat == false {
        island.add(rounded: slot, layer: operands.name)
      }
      levels[slot] = level
    }
    island.add(node, layer: operands.name)
    return true
  }

  private func rule(for node: ProgramNode) -> (any Rule.Type)? {
    switch node.operation {
    case .step: Self.rules[node.step.type]
    case .activation, .function: FunctionRule.self
    case .layerNorm: LayerNormRule.self
    case .attention: AttentionRule.self
    case .sampling: SamplingRule.self
    }
  }
}

/// The operators that the engine plans.
package enum FastOperators {
  /// Whether there is a rule for an operator, by its name with the domain; a form that the rule does not take is computed by
  /// the operator's definition.
  package static func contains(_ type: String) -> Bool { Lowerer.rules[type] != nil }
}
