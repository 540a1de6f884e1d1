import NNRuntime
import Testing

@Suite("A sum and the activation after it join the convolution before them")
struct ResidualActivationTests {
  /// A convolution, what is added to it, and an activation, between two convolutions that keep them from the borders.
  private func network(
    channels: Int = 48, kernel: Int, stride: Int = 1, groups: Int = 1, height: Int = 14, width: Int = 13,
    _ activation: Activation = .relu
  ) -> Graph {
    let builder = GraphBuilder(name: "residual")
    let x = builder.input("x", height: height, width: width, channels: 16)
    func tensor(_ shape: [Int], _ seed: UInt64) -> Tensor { JoinedNetwork.tensor(shape, seed: seed) }
    let first = x.convolution(tensor([channels, 16, 1, 1], 1), name: "first").activation(.silu, name: "curve")
    let shortcut = first.convolution(tensor([channels, channels, 1, 1], 2), stride: stride, name: "shortcut")
    let y = first.convolution(
      tensor([channels, channels / groups, kernel, kernel], 3), bias: tensor([channels], 4), stride: stride,
      padding: kernel / 2, groups: groups, name: "conv")
    let sum = y.adding(shortcut, name: "add").activation(activation, name: "act")
    return builder.finished(outputs: [
      ("y", sum.convolution(tensor([8, channels, 1, 1], 5), name: "last"))
    ])
  }

  @Test(
    "whatever the kernel, and for groups of channels",
    arguments: [(1, 1), (3, 1), (3, 2), (5, 1)], [1, 2, 3])
  func joined(_ window: (kernel: Int, stride: Int), groups: Int) throws {
    for activation in [Activation.relu, .silu, .clip(low: 0, high: 6)] {
      let graph = network(kernel: window.kernel, stride: window.stride, groups: groups, activation)
      let plan = try Plan(graph)
      #expect(plan.layers.map(\.name) == ["x", "first", "shortcut", "conv", "last"])
      #expect(plan.layers[3].fused == ["add", "act"])
      try JoinedNetwork.check(graph)
    }
  }

  @Test("and for products with fewer multiplications, and channels that fill no vector")
  func others() throws {
    try JoinedNetwork.check(network(channels: 192, kernel: 1, height: 33, width: 32))
    try JoinedNetwork.check(network(channels: 128, kernel: 3, height: 32, width: 30))
    for groups in [1, 5] { try JoinedNetwork.check(network(channels: 45, kernel: 3, groups: groups)) }
  }

  @Test("but not after an activation of its own, or one filter per channel")
  func kept() throws {
    let operations = try JoinedNetwork.operations { _, x in
      x.convolution(JoinedNetwork.tensor([16, 1, 3, 3], seed: 1), padding: 1, groups: 16, name: "filter")
        .adding(x, name: "add").activation(.relu, name: "act")
    }
    #expect(operations.last == "relu")
    let curves = try JoinedNetwork.operations { _, x in
      x.convolution(JoinedNetwork.tensor([16, 16, 1, 1], seed: 1), name: "conv").activation(
        .silu, name: "silu"
      )
      .adding(x, name: "add").activation(.relu, name: "act")
    }
    #expect(curves.last == "relu")
  }
}
