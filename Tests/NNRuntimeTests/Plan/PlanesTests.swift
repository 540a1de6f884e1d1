import NNRuntime
import TestSupport
import Testing

@Suite("A convolution reads the planes of a picture as they lie")
struct PlanesTests {
  /// Places of a picture's pixels in its planes, a pixel after another.
  private func order(height: Int, width: Int, channels: Int) -> Rearrangement {
    Rearrangement(
      height: height, width: width, channels: channels, starts: (0..<Int32(height * width)).map(\.self),
      channelStride: height * width)
  }

  /// A stem after the order of planes.
  private func stem(
    channels: Int = 3, images: Int = 1, kernel: Int = 3, readTwice: Bool = false, turned: Bool = false
  ) -> Graph {
    let builder = GraphBuilder(name: "stem")
    let x = builder.input("x", images: images, height: channels, width: 19, channels: 23)
    var order = order(height: 19, width: 23, channels: channels)
    if turned { order.starts.reverse() }
    let pixels = x.rearranged(order, name: "order")
    let y = pixels.convolution(
      JoinedNetwork.tensor([24, channels, kernel, kernel], seed: 1),
      bias: JoinedNetwork.tensor([24], seed: 2), stride: 2, padding: kernel / 2, name: "stem"
    ).activation(.silu, name: "act")
    return builder.finished(outputs: [("y", y)] + (readTwice ? [("pixels", pixels)] : []))
  }

  @Test("and nothing changes, on all kernels and for any threads", arguments: [1, 2], [3, 5])
  func joined(images: Int, kernel: Int) throws {
    let graph = stem(images: images, kernel: kernel)
    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "stem"])
    try JoinedNetwork.check(graph)
  }

  @Test(
    "in bf16 too", .enabled(if: InstructionSet.available.contains(.avx512bf16), "the CPU has no AVX-512 BF16")
  )
  func reduced() throws {
    let plan = try Plan(stem(), options: PlanOptions(precision: .bf16))
    #expect(plan.layers.map(\.name) == ["x", "stem"])
  }

  @Test("but not those of other numbers of channels, in another order, or that something else reads")
  func apart() throws {
    for graph in [stem(channels: 4), stem(kernel: 1), stem(readTwice: true), stem(turned: true)] {
      #expect(try Plan(graph).layers.contains { $0.name == "order" })
    }
  }
}
