import FileFormats
import NNRuntime
import TestSupport
import Testing

/// Small networks with output `y` whose layers a plan joins: seeded weights and inputs, and what joining must not change.
enum JoinedNetwork {
  /// Relative L2 of an output in single precision, and with products in bf16.
  private static let singlePrecision = 1e-5
  private static let halfPrecision = 2e-2

  /// Numbers up to 0.2.
  static func tensor(_ shape: [Int], seed: UInt64) -> Tensor {
    var random = SplitMix64(seed: seed)
    return Tensor(
      shape: shape,
      floats: (0..<shape.reduce(1, *)).map { _ in Float.random(in: -0.2...0.2, using: &random) })
  }

  static func run(
    _ graph: Graph, _ options: PlanOptions = PlanOptions(), threads: Int = 2,
    weights: PackedWeights = PackedWeights()
  ) throws -> [Float] {
    let plan = try Plan(graph, options: options)
    return try Session(plan, pool: ThreadPool(threads: threads), weights: weights).run { inputs in
      for port in plan.inputs {
        inputs.fill(port, with: SeededInput.uniform(count: port.shape.count))
      }
    } read: {
      try $0.elements(of: $0.output("y"))
    }
  }

  /// The operations of a plan for what `body` makes of a map of 8x8 pixels with 16 channels.
  static func operations(_ body: (GraphBuilder, Value) -> Value) throws -> [String] {
    let builder = GraphBuilder(name: "kept")
    let x = builder.input("x", height: 8, width: 8, channels: 16)
    let y = body(builder, x)
    return try Plan(builder.finished(outputs: [("y", y)])).layers.map(\.operation)
  }

  /// Joined equals unjoined but for rounding, on all kernels; for every number of threads to the bit.
  static func check(_ graph: Graph, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try run(graph, PlanOptions(fuse: false))
    func expectNear(_ options: PlanOptions, _ tolerance: Double, _ what: Comment) throws {
      #expect(
        relativeL2(try run(graph, options), expected) < tolerance, what, sourceLocation: sourceLocation)
    }
    let found = try run(graph)
    for threads in [1, 3, 8] {
      #expect(try run(graph, threads: threads) == found, "\(threads)", sourceLocation: sourceLocation)
    }
    for set in InstructionSet.available {
      var options = PlanOptions()
      options.instructionSet = set
      try expectNear(options, singlePrecision, "\(set)")
    }
    try expectNear(PlanOptions(backend: .openBLAS), singlePrecision, "OpenBLAS")
    if InstructionSet.available.contains(where: \.hasReducedPrecision) {
      try expectNear(PlanOptions(precision: .bf16), halfPrecision, "bf16")
    }
  }
}
