import FileFormats
import NNRuntime
import TestSupport
import Testing

@Suite("A layer normalisation joins the linear layer that reads it")
struct NormalisingTests {
  private static let singlePrecision = 1e-5

  private func tensor(_ shape: [Int], seed: UInt64) -> Tensor {
    var random = SeededGenerator(seed)
    return Tensor(
      shape: shape,
      floats: (0..<shape.reduce(1, *)).map { _ in Float.random(in: -0.3...0.3, using: &random) })
  }

  private func normalised(_ x: Value, _ name: String) -> Value {
    x.layerNorm(
      gamma: tensor([x.shape.channels], seed: 5), beta: tensor([x.shape.channels], seed: 6), epsilon: 1e-6,
      name: name)
  }

  private func linear(_ x: Value, _ out: Int, _ name: String) -> Value {
    x.linear(tensor([out, x.shape.channels], seed: 7), bias: tensor([out], seed: 8), name: name)
  }

  /// A feed-forward pair, and the tokens but the first as a map.
  private func block(tokens: Int, channels: Int) -> Graph {
    let builder = GraphBuilder(name: "block")
    let x = builder.input("x", height: 1, width: tokens, channels: channels)
    let hidden = linear(normalised(x, "norm1"), 4 * channels, "fc1").activation(.gelu, name: "act")
    let y = linear(hidden, channels, "fc2").adding(x, name: "add")
    let map = normalised(y, "norm2").tokens(dropping: 1, name: "tokens")
      .map(height: (tokens - 1) / 8, width: 8, name: "map")
    return builder.finish(outputs: [
      ("z", map.convolution(tensor([24, channels, 1, 1], seed: 9), name: "project"))
    ])
  }

  private func run(_ graph: Graph, _ options: PlanOptions = PlanOptions(), threads: Int = 2) throws -> [Float]
  {
    let input = SeededInput.uniform(count: graph.inputShapes[0].shape.count)
    return Session(try Plan(graph, options: options), pool: ThreadPool(threads: threads)).run { inputs in
      inputs.fill("x", with: input)
    } read: {
      $0.output("z").elements
    }
  }

  @Test(
    "and changes nothing but rounding, on all kernels and for any threads",
    arguments: [(41, 48), (1025, 224)])
  func joined(tokens: Int, channels: Int) throws {
    let graph = block(tokens: tokens, channels: channels)
    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "fc1", "fc2", "project"])
    #expect(plan.layers[1].fused == ["norm1", "act"])
    #expect(plan.layers[3].fused == ["norm2", "tokens", "map"])
    #expect(plan.layers[1].choice.algorithm == (tokens > 1000 ? .strassen : .gemm))
    #expect(plan.tracedLayers.map(\.name) == ["act", "add", "project"])

    let expected = try run(graph, PlanOptions(fuse: false))
    let found = try run(graph)
    #expect(relativeL2(found, expected) < Self.singlePrecision)
    for threads in [1, 3, 8] { #expect(try run(graph, threads: threads) == found) }
    for set in InstructionSet.available {
      var options = PlanOptions()
      options.instructionSet = set
      #expect(relativeL2(try run(graph, options), expected) < Self.singlePrecision, "\(set)")
    }
    #expect(relativeL2(try run(graph, PlanOptions(backend: .openBLAS)), expected) < Self.singlePrecision)
  }

  @Test(
    "but not in bf16",
    .enabled(if: InstructionSet.available.contains { $0.mixedKernels != nil }, "no bf16 here"))
  func reduced() throws {
    let plan = try Plan(block(tokens: 41, channels: 48), options: PlanOptions(precision: .bf16))
    #expect(plan.layers.filter { $0.operation == "layernorm" }.count == 2)
  }

  @Test("nor where others read it, or a layer reads neighbours too")
  func leftAlone() throws {
    func operations(_ body: (Value) -> Value) throws -> [String] {
      let builder = GraphBuilder(name: "kept")
      let x = builder.input("x", height: 8, width: 8, channels: 16)
      let y = body(x)
      return try Plan(builder.finish(outputs: [("y", y)])).layers.map(\.operation)
    }
    #expect(
      try operations { x in
        let y = normalised(x, "norm")
        return linear(y, 16, "fc").adding(y, name: "add")
      } == ["input", "layernorm", "conv1x1"])
    #expect(
      try operations { x in
        normalised(x, "norm").convolution(tensor([16, 16, 3, 3], seed: 1), padding: 1, name: "conv")
      } == ["input", "layernorm", "conv"])
  }
}
