import NNRuntime
import TestSupport
import Testing

/// Relative L2 of a small network in single precision against the same in double precision.
private let singlePrecision = 1e-5

@Suite("Session")
struct SessionTests {
  /// A network with every kind of fusion, placement and view, small.
  private func network(_ random: inout SeededGenerator) -> Graph {
    func tensor(_ shape: [Int], _ scale: Float = 0.2) -> Tensor {
      Tensor(
        shape: shape,
        floats: (0..<shape.reduce(1, *)).map { _ in Float.random(in: -scale...scale, using: &random) })
    }
    let builder = GraphBuilder(name: "test")
    let x = builder.input("x", height: 12, width: 20, channels: 3)
    let stem = x.convolution(tensor([32, 3, 3, 3]), bias: tensor([32]), stride: 2, padding: 1, name: "stem")
      .activation(.silu, name: "stem.act")
    let a = stem.channels(0..<16, name: "a")
    let b = stem.channels(16..<32, name: "b")
    let m = b.adding(
      b.convolution(tensor([16, 16, 3, 3]), padding: 1, name: "m.conv").batchNorm(
        gamma: tensor([16]), beta: tensor([16]), mean: tensor([16]),
        variance: Tensor(shape: [16], floats: [Float](repeating: 0.7, count: 16)),
        epsilon: 1e-3, name: "m.bn"
      ).activation(.silu, name: "m.act"), name: "m.add")
    let cat = builder.concatenate([a, b, m], name: "cat")
    let pooled = cat.maxPool(kernel: 5, stride: 1, padding: 2, name: "pool")
    let depthwise = pooled.convolution(
      tensor([48, 1, 3, 3]), bias: tensor([48]), padding: 1, groups: 48, name: "dw")
    let narrow = depthwise.convolution(tensor([8, 48, 1, 1]), name: "narrow").activation(
      .relu, name: "narrow.act")
    let up = narrow.resized(height: 12, width: 20, .nearest, name: "up")
    let fine = narrow.transposedConvolution(tensor([8, 8, 2, 2]), bias: tensor([8]), stride: 2, name: "fine")
    let both = builder.concatenate([up, fine], name: "both")
    let smooth = both.resized(height: 17, width: 9, .bilinear(alignCorners: true), name: "smooth")
    let tokens = cat.tokens(name: "tokens").linear(tensor([24, 48]), name: "embed").prependingToken(
      tensor([24]), name: "cls")
    let normed = tokens.layerNorm(gamma: tensor([24], 1), beta: tensor([24]), epsilon: 1e-6, name: "norm")
    let qkv = normed.linear(tensor([72, 24]), bias: tensor([72]), name: "qkv")
    let attended = qkv.attention(.packed(heads: 3, width: 8), name: "attention")
    let projected = tokens.adding(
      attended.linear(tensor([24, 24]), bias: tensor([24]), name: "proj").scaled(
        by: tensor([24], 1), name: "ls"),
      name: "residual")
    let grid = projected.tokens(dropping: 1, name: "drop").map(height: 6, width: 10, name: "grid")
    return builder.finish(outputs: [("smooth", smooth), ("grid", grid), ("cat", cat)])
  }

  private func run(_ graph: Graph, _ options: PlanOptions, threads: Int, input: [Float]) throws -> [[Float]] {
    let session = Session(try Plan(graph, options: options), pool: ThreadPool(threads: threads))
    return session.run { inputs in
      inputs.fill("x") { span in for index in input.indices { span[index] = input[index] } }
    } read: { outputs in
      graph.outputShapes.map { outputs.output($0.name).elements }
    }
  }

  private func sample() -> (Graph, [Float]) {
    var random = SeededGenerator(3)
    let graph = network(&random)
    return (graph, (0..<12 * 20 * 3).map { _ in Float.random(in: -1...1, using: &random) })
  }

  @Test("the result is the same bytes for every number of threads and every run")
  func deterministic() throws {
    let (graph, input) = sample()
    let reference = try run(graph, PlanOptions(), threads: 1, input: input)
    for threads in [1, 2, 4, 8] {
      #expect(try run(graph, PlanOptions(), threads: threads, input: input) == reference)
    }
  }

  @Test("fusion and reused memory change nothing but rounding")
  func fusedEqualsUnfused() throws {
    let (graph, input) = sample()
    let fused = try run(graph, PlanOptions(), threads: 2, input: input)
    let plain = try run(graph, PlanOptions(fuse: false, retain: true), threads: 2, input: input)
    for (a, b) in zip(fused, plain) {
      #expect(a.contains { $0 != 0 })
      #expect(relativeL2(a, b) < singlePrecision)
    }
  }

  @Test("the two backends agree")
  func backendsAgree() throws {
    let (graph, input) = sample()
    let native = try run(graph, PlanOptions(), threads: 2, input: input)
    let blas = try run(graph, PlanOptions(backend: .openBLAS), threads: 2, input: input)
    for (a, b) in zip(native, blas) { #expect(relativeL2(a, b) < singlePrecision) }
  }

  @Test("every instruction set agrees with the others", arguments: InstructionSet.available)
  func instructionSetsAgree(instructionSet: InstructionSet) throws {
    let (graph, input) = sample()
    var options = PlanOptions()
    options.instructionSet = instructionSet
    let forced = try run(graph, options, threads: 2, input: input)
    let blas = try run(graph, PlanOptions(backend: .openBLAS), threads: 2, input: input)
    for (a, b) in zip(forced, blas) { #expect(relativeL2(a, b) < singlePrecision) }
    #expect(try run(graph, options, threads: 3, input: input) == forced)
  }

  @Test("sessions of one model share packed weights and don't disturb each other")
  func sharedWeights() throws {
    let (graph, input) = sample()
    let plan = try Plan(graph)
    let weights = PackedWeights()
    let pool = ThreadPool(threads: 2)
    let sessions = (0..<3).map { _ in Session(plan, pool: pool, weights: weights) }
    let bytes = weights.bytes
    let results = sessions.map { session in
      session.run { inputs in
        inputs.fill("x") { span in for index in input.indices { span[index] = input[index] } }
      } read: {
        $0.output("grid").elements
      }
    }
    #expect(weights.bytes == bytes && bytes > 0)
    #expect(results[0] == results[1] && results[1] == results[2])
  }

  @Test("a retained plan gives every layer's result by name")
  func layerResults() throws {
    let (graph, input) = sample()
    let session = Session(try Plan(graph, options: PlanOptions(fuse: false, retain: true)))
    session.run { inputs in
      inputs.fill("x") { span in for index in input.indices { span[index] = input[index] } }
    } read: { outputs in
      let whole = outputs.value(named: "cat")
      let part = outputs.value(named: "m.add")
      #expect(whole?.shape == MapShape(height: 6, width: 10, channels: 48))
      #expect(part?.elements.first == whole?.elements[32])
      #expect(outputs.value(named: "nowhere") == nil)
    }
  }

  @Test("the profile covers every step")
  func profile() throws {
    let (graph, _) = sample()
    let plan = try Plan(graph)
    var seen = Set<Int>()
    Session(plan).profile(prepare: { _ in }, observe: { layer, _ in seen.insert(layer) }, read: { _ in })
    let working = plan.layers.indices.filter { plan.layers[$0].choice.algorithm != .none }
    #expect(seen == Set(working))
  }
}
