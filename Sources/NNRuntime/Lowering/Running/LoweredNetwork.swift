import FileFormats
import NNRuntime
import ONNX

/// A network of an ONNX file for inputs of one shape: islands that the engine runs, and plain nodes between them.
package final class LoweredNetwork: Sendable {
  /// The work of one level.
  enum Stage: Sendable {
    case island(IslandSession)
    case plain([ProgramNode])
  }

  let program: FixedProgram
  let stages: [Stage]
  private let known: [ONNXValue?]
  /// Threads of plain nodes; islands have the pool's.
  private let threads: Int
  /// After each stage: values that nothing reads any more.
  private let released: [[Int]]

  /// Lowers and plans `model` for inputs of these kinds, by the names of its inputs.
  ///
  /// - Throws: `PlanError` where the precision cannot be had, `ONNXError` where the program cannot be run at all.
  package init(
    _ model: ONNXModel, inputs: NameTable<InputKind>, options: PlanOptions, pool: ThreadPool
  ) throws {
    if let defect = model.defect { throw defect }
    var kinds: [Int: TensorKind?] = [:]
    for (input, slot) in zip(model.program.inputs, model.program.inputSlots) {
      if let kind = inputs[input.name] {
        kinds[slot] = .some(kind.tensor)
      } else if input.hasDefault == false {
        throw ONNXError.input("the input \"\(printableName(input.name))\" is missing")
      }
    }
    let program = FixedProgram(model.program, inputs: kinds)
    let lowerer = Lowerer(program, name: model.graphName)
    let levels = Set(lowerer.islands.keys).union(lowerer.plain.keys).sorted()
    self.program = program
    threads = pool.threads
    // What is read beyond the island that makes it.
    let plainReads = Set(lowerer.plain.values.flatMap { $0.flatMap(\.reads) })
    var outside = plainReads.union(model.program.outputSlots)
    // What an island reads is known when it is planned, and made before it.
    var stages: [Stage] = []
    for level in levels.reversed() {
      guard let island = lowerer.islands[level] else {
        stages.append(.plain(lowerer.plain[level] ?? []))
        continue
      }
      let made = Set(island.nodes.flatMap(\.outputs).compactMap(\.self))
      let wanted = made.intersection(outside).sorted().compactMap { slot in
        program.kinds[slot].map { (slot, $0) }
      }
      if wanted.isEmpty { continue }
      let session = try IslandSession(island, wanted: wanted, options: options, pool: pool)
      outside.formUnion(session.inputs.map(\.slot))
      stages.append(.island(session))
    }
    stages.reverse()
    self.stages = stages
    var slots = [ONNXValue?](repeating: nil, count: model.program.valueCount)
    for (slot, value) in program.known { slots[slot] = value }
    for slot in plainReads { slots[slot] = slots[slot]?.computed }
    known = slots
    released = Self.releases(stages, program)
    // The engine has its weights packed.
    model.releasePages()
  }

  /// The same network in memory of its own, with the same packed weights, on the threads of `pool`.
  init(_ other: LoweredNetwork, pool: ThreadPool) {
    (program, known, released) = (other.program, other.known, other.released)
    threads = pool.threads
    stages = other.stages.map { stage in
      switch stage {
      case .island(let island): .island(IslandSession(island, pool: pool))
      case .plain(let nodes): .plain(nodes)
      }
    }
  }

  private static func releases(_ stages: [Stage], _ program: FixedProgram) -> [[Int]] {
    var last: [Int: Int] = [:]
    for (index, stage) in stages.enumerated() {
      switch stage {
      case .island(let island):
        for input in island.inputs { last[input.slot] = index }
        for output in island.outputs { last[output.slot] = max(last[output.slot] ?? index, index) }
      case .plain(let nodes):
        for slot in nodes.flatMap({ $0.reads + $0.outputs.compactMap(\.self) }) {
          last[slot] = index
        }
      }
    }
    for slot in program.program.outputSlots { last[slot] = nil }
    var released = [[Int]](repeating: [], count: stages.count)
    for (slot, index) in last where program.known[slot] == nil { released[index].append(slot) }
    return released
  }

  /// The kernels of the islands; `plain` where there are none.
  package var kernelName: String {
    for case .island(let island) in stages { return island.session.plan.kernelName }
    return "plain"
  }

  /// Bytes of weights that it keeps beside those that the engine has packed, and those of a file.
  package var heldBytes: Int { known.reduce(0) { $0 + ($1?.heldBytes ?? 0) } }

  /// Runs the network on values by the names of its inputs.
  package func run(_ values: NameTable<ONNX.Value>) throws -> [ONNX.Value] {
    var slots = try filled(values)
    for (index, stage) in stages.enumerated() {
      switch stage {
      case .island(let island): try island.run(&slots)
      case .plain(let nodes): for node in nodes { try run(node, &slots) }
      }
      for slot in released[index] { slots[slot] = nil }
    }
    return try results(slots)
  }

  /// The values before anything runs.
  func filled(_ values: NameTable<ONNX.Value>) throws -> [ONNXValue?] {
    var slots = known
    for (input, slot) in zip(program.program.inputs, program.program.inputSlots) {
      if let value = values[input.name] { slots[slot] = value }
    }
    return slots
  }

  /// The program's outputs.
  func results(_ slots: [ONNXValue?]) throws -> [ONNXValue] {
    try zip(program.program.outputs, program.program.outputSlots).map { output, slot in
      guard let value = slots[slot] else {
        throw ONNXError.malformed("the output \"\(printableName(output.name))\" has no value")
      }
      return value
    }
  }

  /// Computes a plain node.
  func run(_ node: ProgramNode, _ slots: inout [ONNXValue?]) throws {
    for step in node.steps {
      let values = try Parallel.$threads.withValue(threads) { try step.evaluate(slots) }
      for (slot, value) in zip(step.outputSlots, values) {
        if let slot { slots[slot] = value }
      }
    }
  }
}
