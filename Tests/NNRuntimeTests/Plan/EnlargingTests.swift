import NNRuntime
import TestSupport
import Testing

@Suite("A 1x1 convolution behind an enlargement is computed before it")
struct EnlargingTests {
  private func projected(_ x: Value, _ out: Int, _ name: String, seed: UInt64 = 3) -> Value {
    x.convolution(
      JoinedNetwork.tensor([out, x.shape.channels, 1, 1], seed: seed),
      bias: JoinedNetwork.tensor([out], seed: seed + 1), name: name)
  }

  private func padded(_ x: Value, _ name: String, seed: UInt64) -> Value {
    x.convolution(
      JoinedNetwork.tensor([x.shape.channels, x.shape.channels, 3, 3], seed: seed), padding: 1, name: name)
  }

  /// An enlarged map projected and added to another, which is computed before or, as in a DPT head, after it.
  private func pyramid(skipFirst: Bool) -> Graph {
    let builder = GraphBuilder(name: "pyramid")
    let x = builder.input("x", height: 7, width: 9, channels: 32)
    let input = builder.input("skip", height: 15, width: 20, channels: 48)
    func refined() -> Value { padded(input, "skip.conv", seed: 2).adding(input, name: "skip.add") }
    var skip = skipFirst ? refined() : input
    let enlarged = padded(x, "conv", seed: 1).resized(
      height: 15, width: 20, .bilinear(alignCorners: true), name: "resize")
    let path = projected(enlarged, 48, "out_conv")
    if !skipFirst { skip = refined() }
    return builder.finished(outputs: [("y", padded(skip.adding(path, name: "add"), "last", seed: 8))])
  }

  /// An enlarged map beside another, projected, as in a feature pyramid's neck.
  private func neck(enlargedFirst: Bool, channels: Int = 32) -> Graph {
    let builder = GraphBuilder(name: "neck")
    let x = builder.input("x", height: 16, width: 16, channels: channels)
    let enlarged = padded(x, "conv", seed: 1).resized(height: 32, width: 32, .nearest, name: "up")
    let skip = padded(builder.input("skip", height: 32, width: 32, channels: 96), "skip.conv", seed: 2)
    let joint = builder.concatenate(enlargedFirst ? [enlarged, skip] : [skip, enlarged], name: "cat")
    let out = projected(joint, 192, "cv1").scaled(by: JoinedNetwork.tensor([192], seed: 6), name: "bn")
      .activation(.silu, name: "act")
    return builder.finished(outputs: [("y", padded(out, "last", seed: 8))])
  }

  @Test("on the pixels before an interpolation, which also takes an addition", arguments: [true, false])
  func interpolated(skipFirst: Bool) throws {
    let graph = pyramid(skipFirst: skipFirst)
    let plan = try Plan(graph)
    let projection = try #require(plan.layers.first { $0.name == "out_conv" })
    #expect(projection.output == MapShape(height: 7, width: 9, channels: 48))
    #expect(projection.operations == 2 * 15 * 20 * 48 * 32)
    let resize = try #require(plan.layers.first { $0.name == "resize" })
    #expect(resize.fused == ["out_conv", "add"])
    #expect(!plan.layers.contains { $0.operation == "add" })
    let firsts = skipFirst ? ["skip.add", "conv"] : ["conv", "skip.add"]
    #expect(plan.tracedLayers.map(\.name) == firsts + ["add", "last"])
    try JoinedNetwork.check(graph)
  }

  @Test("as a part of the sums behind a concatenation", arguments: [true, false])
  func concatenated(enlargedFirst: Bool) throws {
    let graph = neck(enlargedFirst: enlargedFirst)
    let plan = try Plan(graph)
    #expect(!plan.layers.contains { ["nearest", "concat", "copy"].contains($0.operation) })
    let part = try #require(plan.layers.first { $0.name == "cv1.part\(enlargedFirst ? 0 : 1)" })
    #expect(part.output == MapShape(height: 16, width: 16, channels: 192))
    let rest = try #require(plan.layers.first { $0.name == "cv1" })
    #expect(rest.fused == ["up", "cat", "bn", "act"])
    let sums: Double = 32 * 32 * 192
    #expect(part.operations + rest.operations == 2 * sums * (32 + 96))
    #expect(plan.tracedLayers.map(\.name) == ["conv", "skip.conv", "act", "last"])
    try JoinedNetwork.check(graph)
  }

  @Test("by Strassen's products where channels are many")
  func strassen() throws {
    let graph = neck(enlargedFirst: true, channels: 224)
    #expect(try Plan(graph).layers.first { $0.name == "cv1" }?.choice.algorithm == .gemm)
    let builder = GraphBuilder(name: "wide")
    let x = builder.input("x", height: 16, width: 16, channels: 32)
    let enlarged = padded(x, "conv", seed: 1).resized(height: 32, width: 32, .nearest, name: "up")
    let skip = builder.input("skip", height: 32, width: 32, channels: 256)
    let joint = builder.concatenate([enlarged, projected(skip, 256, "lateral", seed: 12)], name: "cat")
    let out = projected(joint, 192, "cv1").activation(.silu, name: "act")
    let wide = builder.finished(outputs: [("y", padded(out, "last", seed: 8))])
    #expect(try Plan(wide).layers.first { $0.name == "cv1" }?.choice.algorithm == .strassen)
    try JoinedNetwork.check(wide)
  }

  @Test("sessions with and without it share weights, and each has its own part of them")
  func sharedWeights() throws {
    let graph = neck(enlargedFirst: true)
    let weights = PackedWeights()
    for fuse in [true, false, true] {
      let options = PlanOptions(fuse: fuse)
      #expect(
        try JoinedNetwork.run(graph, options, weights: weights) == JoinedNetwork.run(graph, options))
    }
  }

  @Test("only where that is the same, and nothing else reads the enlarged map")
  func leftAlone() throws {
    #expect(
      try JoinedNetwork.operations { _, x in
        projected(x.resized(height: 4, width: 4, .bilinear(alignCorners: false), name: "r"), 8, "p")
      } == ["input", "bilinear", "conv1x1"], "fewer pixels behind than before")
    #expect(
      try JoinedNetwork.operations { _, x in
        projected(x.resized(height: 16, width: 16, .bicubic, name: "r"), 8, "p").activation(.relu, name: "a")
      } == ["input", "bicubic", "conv1x1"], "an activation is not linear")
    #expect(
      try JoinedNetwork.operations { _, x in
        let enlarged = x.resized(height: 16, width: 16, .bicubic, name: "r")
        return projected(enlarged, 16, "p").adding(enlarged, name: "add")
      } == ["input", "bicubic", "conv1x1"], "read twice")
    #expect(
      try JoinedNetwork.operations { builder, x in
        let enlarged = x.resized(height: 12, width: 12, .nearest, name: "r")
        let other = x.resized(height: 12, width: 12, .bicubic, name: "other")
        return projected(builder.concatenate([enlarged, other], name: "cat"), 8, "p")
      } == ["input", "nearest", "bicubic", "conv1x1"], "pixels repeated unevenly")
  }
}
