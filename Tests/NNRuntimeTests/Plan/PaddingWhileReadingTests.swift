import NNKernelInterface
import NNRuntime
import TestSupport
import Testing

@Suite("Zeros around a map are the padding of the convolution that reads it")
struct PaddingWhileReadingTests {
  /// Zeros around a map, and a convolution of what they make.
  private func network(
    top: Int, left: Int, bottom: Int, right: Int, kernel: Int = 3, stride: Int = 2, depthwise: Bool = false,
    filling: Int32 = -1, height: Int = 12
  ) -> Graph {
    let (width, channels) = (10, 24)
    let builder = GraphBuilder(name: "padded")
    let x = builder.input("x", height: height, width: width, channels: channels)
    let starts = (-top..<height + bottom).flatMap { y in
      (-left..<width + right).map { x -> Int32 in
        guard (0..<height).contains(y), (0..<width).contains(x) else { return filling }
        return Int32((y * width + x) * channels)
      }
    }
    let padded = x.rearranged(
      Rearrangement(
        height: height + top + bottom, width: width + left + right, channels: channels, starts: starts,
        channelStride: 1), name: "pad")
    let weights = JoinedNetwork.tensor([24, depthwise ? 1 : channels, kernel, kernel], seed: 1)
    let y = padded.convolution(
      weights, bias: JoinedNetwork.tensor([24], seed: 2), stride: stride, groups: depthwise ? channels : 1,
      name: "conv")
    return builder.finished(outputs: [("y", y.silu(name: "act"))])
  }

  @Test("below and to the right as files of TensorFlow have it, and on all sides", arguments: [false, true])
  func joined(depthwise: Bool) throws {
    for (leading, trailing) in [(0, 1), (1, 1), (1, 0), (2, 1)] {
      let graph = network(
        top: leading, left: leading, bottom: trailing, right: trailing, kernel: leading > 1 ? 5 : 3,
        depthwise: depthwise)
      let plan = try Plan(graph)
      #expect(plan.layers.map(\.name) == ["x", "conv"])
      #expect(plan.layers.last?.fused == ["pad", "act"])
      try JoinedNetwork.check(graph)
    }
    try JoinedNetwork.check(
      network(top: 0, left: 0, bottom: 1, right: 1, kernel: 2, stride: 1, depthwise: depthwise))
  }

  @Test("and every kernel is timed with that padding", arguments: [12, 13])
  func timed(height: Int) throws {
    for (leading, trailing) in [(0, 1), (1, 0)] {
      let plan = try Plan(
        network(top: leading, left: leading, bottom: trailing, right: trailing, height: height))
      let results = try KernelBenchmark(runs: 1).measure(plan, pool: ThreadPool(threads: 1)) { _, _ in }
      #expect(results.contains { $0.shape.padding == leading && $0.shape.inHeight == height })
    }
  }

  @Test("but not more above than to the left, more than the kernel reaches, or what is no zero")
  func kept() throws {
    for graph in [
      network(top: 1, left: 0, bottom: 0, right: 0), network(top: 3, left: 3, bottom: 4, right: 4),
      network(top: 0, left: 0, bottom: 1, right: 1, filling: 0),
    ] {
      #expect(try Plan(graph).layers.map(\.name) == ["x", "pad", "conv"])
      try JoinedNetwork.check(graph)
    }
  }
}
