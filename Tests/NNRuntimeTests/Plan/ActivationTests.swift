import NNRuntime
import Testing

@Suite("Activations join the layers before them, with their parameters")
struct ActivationTests {
  /// After a 1x1 convolution, a convolution with a window, a depthwise one, and by itself.
  private func graph(_ activation: Activation) -> Graph {
    let builder = GraphBuilder(name: "activated")
    var x = builder.input("x", height: 9, width: 10, channels: 32)
    x = x.convolution(JoinedNetwork.tensor([48, 32, 1, 1], seed: 1), name: "product")
      .activation(activation, name: "product.act")
    x = x.convolution(JoinedNetwork.tensor([48, 48, 3, 3], seed: 2), padding: 1, name: "window")
      .activation(activation, name: "window.act")
    x = x.convolution(JoinedNetwork.tensor([48, 1, 3, 3], seed: 3), padding: 1, groups: 48, name: "filter")
      .activation(activation, name: "filter.act")
    let pooled = x.maxPool(kernel: 2, stride: 2, padding: 0, name: "pool")
      .activation(activation, name: "alone")
    return builder.finished(outputs: [
      ("y", pooled.convolution(JoinedNetwork.tensor([16, 48, 1, 1], seed: 4), name: "last"))
    ])
  }

  @Test("and all kernels agree", arguments: Activation.allCases)
  func joined(_ activation: Activation) throws {
    let graph = graph(activation)
    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "product", "window", "filter", "pool", "alone", "last"])
    #expect(plan.layers[5].operation == activation.name)
    try JoinedNetwork.check(graph)
  }

  @Test("one line for all channels joins after straight lines, and no other line or curve does")
  func lines() throws {
    func graph(_ activation: Activation, _ scale: [Float]) -> Graph {
      let builder = GraphBuilder(name: "line")
      let x = builder.input("x", height: 9, width: 10, channels: 32)
      let y = x.convolution(JoinedNetwork.tensor([48, 32, 3, 3], seed: 1), padding: 1, name: "window")
        .activation(activation, name: "act")
        .affine(scale: scale, shift: [Float](repeating: 0.25, count: 48), name: "line")
      return builder.finished(outputs: [
        ("y", y.convolution(JoinedNetwork.tensor([16, 48, 1, 1], seed: 4), name: "last"))
      ])
    }
    let uniform = [Float](repeating: -0.75, count: 48)
    for activation in [Activation.relu, .clip(low: -1, high: 6), .clip(low: 0, high: 1, scale: 2, shift: -3)]
    {
      #expect(try Plan(graph(activation, uniform)).layers.map(\.name) == ["x", "window", "last"])
      try JoinedNetwork.check(graph(activation, uniform))
    }
    let different = (0..<48).map { Float($0) / 48 }
    #expect(try Plan(graph(.relu, different)).layers.contains { $0.name == "line" })
    #expect(try Plan(graph(.silu, uniform)).layers.contains { $0.name == "line" })
  }

  @Test("the slope counts")
  func slope() throws {
    let found = try [0.0, 0.1, 1.0].map { try JoinedNetwork.run(graph(.leakyReLU(slope: $0))) }
    #expect(found[0] == (try JoinedNetwork.run(graph(.relu))))
    #expect(found[2] == (try JoinedNetwork.run(graph(.none))))
    #expect(found[1] != found[0] && found[1] != found[2])
  }
}
