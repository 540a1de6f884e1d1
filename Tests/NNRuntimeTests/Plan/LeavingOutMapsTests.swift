import NNKernelInterface
import NNRuntime
import TestSupport
import Testing

@Suite("Maps around Winograd convolutions that one layer alone reads are never made")
struct LeavingOutMapsTests {
  private func convolved(_ x: Value, _ out: Int, _ name: String) -> Value {
    x.convolution(
      JoinedNetwork.tensor([out, x.shape.channels, 3, 3], seed: 1),
      bias: JoinedNetwork.tensor([out], seed: 2), padding: 1, name: name)
  }

  private func projected(_ x: Value, _ out: Int, _ name: String) -> Value {
    x.convolution(
      JoinedNetwork.tensor([out, x.shape.channels, 1, 1], seed: 3),
      bias: JoinedNetwork.tensor([out], seed: 4), name: name)
  }

  /// The end of a DPT head: enlarged, convolved, projected.
  private func head(side: Int = 168, hidden: Int = 64) -> Graph {
    let builder = GraphBuilder(name: "head")
    let x = builder.input("x", height: side / 2, width: side / 2, channels: 32)
    let enlarged = x.resized(height: side, width: side, .bilinear(alignCorners: true), name: "resize")
    let hidden = convolved(enlarged, hidden, "conv").activation(.relu, name: "relu")
    return builder.finished(outputs: [
      ("y", projected(hidden, 3, "project").activation(.sigmoid, name: "act"))
    ])
  }

  @Test("and nothing but rounding changes, on all kernels and for any threads")
  func joined() throws {
    let graph = head()
    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "conv"])
    #expect(plan.layers[1].fused == ["resize", "relu", "project", "act"])
    #expect(plan.layers[1].choice.algorithm == .winograd6x6)
    let products: Double = 64 * 32 * 9 + 3 * 64
    #expect(plan.layers[1].operations == 2 * 168 * 168 * products)
    #expect(plan.tracedLayers.map(\.name) == ["act"])
    let plain = try Plan(graph, options: PlanOptions(fuse: false))
    #expect(plan.arenaBytes < plain.arenaBytes / 8)

    try JoinedNetwork.check(graph)
  }

  @Test("also where tiles are so few that other layers' channels are shared out")
  func manyChannels() throws {
    let graph = head(side: 48, hidden: 704)
    #expect(try Plan(graph).layers.map(\.name) == ["x", "conv"])
    try JoinedNetwork.check(graph)
  }

  @Test("whatever a plan file says of the convolution's shape")
  func measured() throws {
    let graph = head()
    let expected = try JoinedNetwork.run(graph)
    let plan = try Plan(graph)
    let shape = ConvolutionShape(
      inHeight: 168, inWidth: 168, inChannels: 32, outHeight: 168, outWidth: 168, outChannels: 64,
      kernelHeight: 3, kernelWidth: 3, stride: 1, padding: 1)
    var options = PlanOptions()
    options.measured = try MeasuredChoices(
      kernels: plan.kernelName,
      entries: [MeasuredChoices.Entry(shape: shape, algorithm: .direct, milliseconds: [:])])
    #expect(try Plan(graph, options: options).layers[1].choice.algorithm == .winograd6x6)
    #expect(try JoinedNetwork.run(graph, options) == expected)
  }

  @Test("but where maps are small, and in bf16 where channels are many")
  func leftAlone() throws {
    let small = try Plan(head(side: 24))
    #expect(small.layers.map(\.name) == ["x", "conv", "project"])
    guard InstructionSet.available.contains(where: \.hasReducedPrecision) else { return }
    let reduced = try Plan(head(), options: PlanOptions(precision: .bf16))
    #expect(reduced.layers.map(\.name) == ["x", "resize", "conv", "project"])

    let narrow = head(side: 240, hidden: 32)
    let plan = try Plan(narrow, options: PlanOptions(precision: .bf16))
    #expect(plan.layers.map(\.name) == ["x", "conv"])
    #expect(plan.layers[1].precision == .fp32)
    #expect(plan.layers[1].choice.reason.contains("narrow"))
    #expect(
      try JoinedNetwork.run(narrow, PlanOptions(precision: .bf16)) == JoinedNetwork.run(narrow),
      "nothing is left to compute in bf16")
  }
}
