import NNRuntime
import TestSupport
import Testing

@Suite("A layer normalization joins the linear layer that reads it")
struct NormalizingTests {
  private func normalized(_ x: Value, _ name: String) -> Value {
    x.layerNorm(
      gamma: JoinedNetwork.tensor([x.shape.channels], seed: 5),
      beta: JoinedNetwork.tensor([x.shape.channels], seed: 6), epsilon: 1e-6,
      name: name)
  }

  private func linear(_ x: Value, _ out: Int, _ name: String) -> Value {
    x.linear(
      JoinedNetwork.tensor([out, x.shape.channels], seed: 7), bias: JoinedNetwork.tensor([out], seed: 8),
      name: name)
  }

  /// A feed-forward pair, and the tokens but the first as a map.
  private func block(tokens: Int, channels: Int) -> Graph {
    let builder = GraphBuilder(name: "block")
    let x = builder.input("x", height: 1, width: tokens, channels: channels)
    let hidden = linear(normalized(x, "norm1"), 4 * channels, "fc1").activation(.gelu, name: "act")
    let y = linear(hidden, channels, "fc2").adding(x, name: "add")
    let map = normalized(y, "norm2").tokens(dropping: 1, name: "tokens")
      .map(height: (tokens - 1) / 8, width: 8, name: "map")
    return builder.finished(outputs: [
      ("y", map.convolution(JoinedNetwork.tensor([24, channels, 1, 1], seed: 9), name: "project"))
    ])
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

    try JoinedNetwork.check(graph)
  }

  @Test(
    "but not in bf16",
    .enabled(if: InstructionSet.available.contains(where: \.hasReducedPrecision), "no bf16 here"))
  func reduced() throws {
    let plan = try Plan(block(tokens: 41, channels: 48), options: PlanOptions(precision: .bf16))
    #expect(plan.layers.filter { $0.operation == "layernorm" }.count == 2)
  }

  @Test("nor where others read it, or a layer reads neighbors too")
  func leftAlone() throws {
    #expect(
      try JoinedNetwork.operations { _, x in
        let y = normalized(x, "norm")
        return linear(y, 16, "fc").adding(y, name: "add")
      } == ["input", "layernorm", "conv1x1"])
    #expect(
      try JoinedNetwork.operations { _, x in
        normalized(x, "norm").convolution(
          JoinedNetwork.tensor([16, 16, 3, 3], seed: 1), padding: 1, name: "conv")
      } == ["input", "layernorm", "conv"])
  }
}
