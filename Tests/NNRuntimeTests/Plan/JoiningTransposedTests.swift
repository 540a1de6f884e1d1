import NNKernelInterface
import NNRuntime
import Testing

@Suite("A transposed convolution and the 3x3 one behind it are four convolutions of 2x2")
struct JoiningTransposedTests {
  private func transposed(_ x: Value, _ out: Int, biased: Bool = true) -> Value {
    x.transposedConvolution(
      JoinedNetwork.tensor([x.shape.channels, out, 2, 2], seed: 1),
      bias: biased ? JoinedNetwork.tensor([out], seed: 2) : nil, stride: 2, name: "up")
  }

  private func convolved(_ x: Value, _ out: Int) -> Value {
    x.convolution(
      JoinedNetwork.tensor([out, x.shape.channels, 3, 3], seed: 3),
      bias: JoinedNetwork.tensor([out], seed: 4),
      padding: 1, name: "conv")
  }

  private func projected(_ x: Value, _ out: Int) -> Value {
    x.convolution(JoinedNetwork.tensor([out, x.shape.channels, 1, 1], seed: 5), name: "project")
  }

  /// YOLO's prototypes: enlarged, convolved, projected.
  private func prototypes(height: Int = 12, width: Int = 9, hidden: Int = 48) -> Graph {
    let builder = GraphBuilder(name: "proto")
    let x = builder.input("x", height: height, width: width, channels: 32)
    let wide = convolved(transposed(x, 64), hidden).scaled(
      by: JoinedNetwork.tensor([hidden], seed: 6), name: "bn"
    )
    .activation(.silu, name: "act")
    return builder.finished(outputs: [("y", projected(wide, 16))])
  }

  @Test("and nothing but rounding changes, at the map's edges too", arguments: [(12, 9), (9, 33), (8, 8)])
  func joined(height: Int, width: Int) throws {
    let graph = prototypes(height: height, width: width)
    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "conv", "project"])
    let layer = plan.layers[1]
    #expect(layer.fused == ["up", "bn", "act"])
    #expect(layer.choice.algorithm == .winograd4x4)
    #expect(layer.choice.reason.contains("2x2"))
    #expect(layer.output == MapShape(height: 2 * height, width: 2 * width, channels: 48))
    #expect(layer.operations == 2 * Double(4 * height * width) * Double(48 * 64 * 9 + 64 * 32))
    #expect(plan.tracedLayers.map(\.name) == ["act", "project"])
    try JoinedNetwork.check(graph)
  }

  @Test("of integers in bf16, where they are fast; on tiles, and without integers, they stay apart")
  func reduced() throws {
    guard let catalogue = try InstructionSet.selected().catalogue, catalogue.multiplies(.bfloat16) else {
      return
    }
    let plan = try Plan(prototypes(), options: PlanOptions(precision: .bf16))
    let layer = try #require(plan.layers.first { $0.name == "conv" })
    let hasTiles = catalogue.convolutions.contains { $0.needs.contains(.amx) }
    // arm64's are no faster than those of floats.
    let hasFastIntegers = catalogue.convolutions.contains {
      $0.products == .int16 && !$0.needs.contains(.neon)
    }
    let staysApart = hasTiles || !hasFastIntegers
    #expect(layer.precision == (staysApart ? .bf16 : .int16))
    #expect(layer.fused.contains("up") != staysApart)
    #expect(layer.choice.reason.contains("integers") != staysApart)
  }

  @Test("whose result others read, in bf16 as well")
  func read() throws {
    let builder = GraphBuilder(name: "read")
    let x = builder.input("x", height: 11, width: 13, channels: 48)
    let start = x.convolution(JoinedNetwork.tensor([48, 48, 3, 3], seed: 7), padding: 1, name: "start")
    var y = convolved(transposed(start, 48), 32).activation(.relu, name: "act")
    // What makes an output of the network is in floats, and what it reads too.
    for name in ["middle", "end"] {
      y = y.convolution(JoinedNetwork.tensor([32, 32, 3, 3], seed: 8), padding: 1, name: name)
    }
    let graph = builder.finished(outputs: [("y", y)])
    #expect(try Plan(graph).layers.map(\.name) == ["x", "start", "conv", "middle", "end"])
    try JoinedNetwork.check(graph)
  }

  @Test("and apart in bf16 where pixels are too few for integers")
  func reducedFewPixels() throws {
    let graph = prototypes(height: 7, width: 7)
    try JoinedNetwork.check(graph)
    guard try InstructionSet.selected().hasReducedPrecision else { return }
    let plan = try Plan(graph, options: PlanOptions(precision: .bf16))
    #expect(plan.layers.map(\.name) == ["x", "up", "conv", "project"])
  }

  @Test("behind an enlargement, which stays")
  func enlarged() throws {
    let builder = GraphBuilder(name: "enlarged")
    let x = builder.input("x", height: 9, width: 8, channels: 32)
    let larger = x.resized(height: 17, width: 15, .bilinear(alignCorners: true), name: "resize")
    let graph = builder.finished(outputs: [("y", convolved(transposed(larger, 32), 48))])
    #expect(try Plan(graph).layers.map(\.name) == ["x", "resize", "conv"])
    try JoinedNetwork.check(graph)
  }

  @Test("with the scales of both, and without a bias between")
  func scales() throws {
    let builder = GraphBuilder(name: "scales")
    let x = builder.input("x", height: 11, width: 10, channels: 16)
    let up = transposed(x, 32, biased: false).scaled(by: JoinedNetwork.tensor([32], seed: 7), name: "up.bn")
    let y = convolved(up, 16).scaled(by: JoinedNetwork.tensor([16], seed: 8), name: "bn")
    let graph = builder.finished(outputs: [("y", y)])
    #expect(try Plan(graph).layers[1].fused == ["up", "up.bn", "bn"])
    try JoinedNetwork.check(graph)
  }

  @Test("and projected while near where the map is large")
  func projectedTiles() throws {
    let graph = prototypes(height: 92, width: 92)
    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "conv"])
    #expect(plan.layers[1].fused == ["up", "bn", "act", "project"])
    try JoinedNetwork.check(graph)
  }

  @Test("whose weights are not taken for those of either alone")
  func sharedWeights() throws {
    let weights = PackedWeights()
    let graph = prototypes(height: 8, width: 8)
    let unfused = try Plan(graph, options: PlanOptions(fuse: false))
    #expect(unfused.layers.first { $0.name == "conv" }?.choice.algorithm == .winograd4x4, "as when joined")
    let apart = try JoinedNetwork.run(graph, PlanOptions(fuse: false), weights: weights)
    let joined = try JoinedNetwork.run(graph, weights: weights)
    #expect(try joined == JoinedNetwork.run(graph))
    #expect(try apart == JoinedNetwork.run(graph, PlanOptions(fuse: false)))
    #expect(joined != apart, "else nothing was joined")
  }

  @Test("but where that saves no products, or something lies between the two")
  func leftAlone() throws {
    func operations(_ body: (Value) -> Value) throws -> [String] {
      try JoinedNetwork.operations { _, x in body(x) }
    }
    let apart = ["input", "convtranspose", "conv"]
    #expect(try operations { convolved(transposed($0, 16), 16) } == ["input", "conv"])
    #expect(
      try operations { convolved(transposed($0, 16).activation(.relu, name: "act"), 16) } == apart,
      "an activation between")
    #expect(try operations { convolved(transposed($0, 8), 16) } == apart, "channels that Winograd can't have")
    #expect(
      try operations {
        transposed($0, 16).convolution(
          JoinedNetwork.tensor([16, 16, 3, 3], seed: 3), stride: 2, padding: 1, name: "conv")
      } == apart, "a stride")
    #expect(
      try JoinedNetwork.operations { builder, x in
        let up = transposed(x, 16)
        return convolved(up, 16).adding(up, name: "add")
      } == apart, "another that reads the larger map")
    let bottleneck = GraphBuilder(name: "bottleneck")
    let x = bottleneck.input("x", height: 8, width: 8, channels: 512)
    let graph = bottleneck.finished(outputs: [("y", convolved(transposed(x, 16), 32))])
    #expect(try Plan(graph).layers.map(\.operation) == apart, "fewer products apart")
  }
}
