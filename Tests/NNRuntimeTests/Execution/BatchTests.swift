import NNRuntime
import TestSupport
import Testing

/// A batch is its images, one after another: to the bit what each gives alone.
@Suite("Batches")
struct BatchTests {
  private static let images = 3

  /// A network with every kind of operator: windows, products, tokens, slices and concatenations.
  private static func network(images: Int) -> Graph {
    let builder = GraphBuilder(name: "batch")
    let tensor = { JoinedNetwork.tensor($0, seed: $1) }
    let x = builder.input("x", images: images, height: 12, width: 10, channels: 16)
    let conv = x.convolution(tensor([32, 16, 3, 3], 1), padding: 1, name: "conv").silu(name: "act")
    let depthwise = conv.convolution(tensor([32, 1, 3, 3], 2), padding: 1, groups: 32, name: "depthwise")
      .adding(conv, name: "residual")
    let slice = depthwise.channels(8..<24, name: "slice")
    let pooled = slice.maxPool(kernel: 5, stride: 1, padding: 2, name: "pool")
    let joined = pooled.concatenated(with: [slice, x], name: "cat")
      .convolution(tensor([32, 48, 1, 1], 3), name: "project")
    let grouped = joined.convolution(
      tensor([32, 8, 3, 3], 4), over: Window(height: 3, width: 3, stride: 2, padding: 1), groups: 4,
      name: "grouped"
    ).hardSwish(name: "hard")
    let excitation = grouped.globalAveragePool(name: "squeeze")
      .linear(tensor([32, 32], 5), name: "excite").activation(.sigmoid, name: "gate")
    let gated = grouped.multiplied(byChannelsOf: excitation, name: "scale")
    let tokens = gated.tokens(name: "tokens").prependingToken(tensor([32], 6), name: "class")
    let positions = builder.constant(
      "positions", tensor([31, 32], 7), shape: MapShape(height: 1, width: 31, channels: 32))
    let placed = tokens.adding(positions, name: "placed")
      .layerNorm(gamma: tensor([32], 8), beta: tensor([32], 9), epsilon: 1e-5, name: "norm")
    let attended = placed.linear(tensor([96, 32], 10), name: "qkv")
      .attention(.packed(heads: 2, width: 16), name: "attention").softmax(name: "softmax")
      .tokens(dropping: 1, name: "patches").map(height: 6, width: 5, name: "map")
    let enlarged = attended.transposedConvolution(tensor([32, 16, 2, 2], 11), stride: 2, name: "up")
      .resized(height: 24, width: 20, .bilinear(alignCorners: false), name: "resize")
    return builder.finished(outputs: [("y", enlarged), ("tokens", attended.channels(4..<20, name: "some"))])
  }

  /// The elements of both outputs for images counted from `first` on.
  private func run(_ graph: Graph, _ options: PlanOptions, threads: Int, from first: Int) throws -> [[Float]]
  {
    let plan = try Plan(graph, options: options)
    let image = 12 * 10 * 16
    let all = SeededInput.uniform(count: Self.images * image)
    return try Session(plan, pool: ThreadPool(threads: threads)).run { inputs in
      let port = try inputs.input("x")
      inputs.fill(port, with: Array(all[first * image..<first * image + port.shape.count]))
    } read: { outputs in
      try ["y", "tokens"].map { try outputs.elements(of: outputs.output($0)) }
    }
  }

  @Test("every kernel gives each image what it gives it alone", arguments: [true, false])
  func everyImageAsAlone(fuse: Bool) throws {
    let (batch, single) = (Self.network(images: Self.images), Self.network(images: 1))
    var plans = InstructionSet.available.map { set in
      var options = PlanOptions(fuse: fuse)
      options.instructionSet = set
      return options
    }
    plans += [PlanOptions(backend: .openBLAS, fuse: fuse), PlanOptions(fuse: fuse, retain: true)]
    if InstructionSet.available.contains(where: \.hasReducedPrecision) {
      plans += [.bf16, .int8].map { PlanOptions(fuse: fuse, precision: $0) }
    }
    for options in plans {
      let alone = try (0..<Self.images).map { try run(single, options, threads: 1, from: $0) }
      for threads in [1, 3] {
        let together = try run(batch, options, threads: threads, from: 0)
        for output in together.indices {
          #expect(together[output] == alone.flatMap { $0[output] }, "\(options), \(threads) threads")
        }
      }
    }
  }

  @Test("a batch is counted: shapes, operations, names of layers")
  func countsEveryImage() throws {
    let (batch, single) = (
      try Plan(Self.network(images: Self.images)), try Plan(Self.network(images: 1))
    )
    #expect(batch.inputs[0].shape.description == "3x12x10x16")
    #expect(batch.layers.map(\.name) == single.layers.map(\.name))
    #expect(batch.layers.map(\.operations) == single.layers.map { 3 * $0.operations })
    #expect(batch.tracedLayers.last?.tensorShape.first == 3)
  }

  @Test("references of a batch are read by image")
  func referencesAreReadByImage() throws {
    let shape = MapShape(images: 2, height: 1, width: 2, channels: 3)
    let planes: [Float] = [0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121]
    let map = try #require(StridedMap([2, 3, 1, 2], planes, as: shape))
    let read = (0..<shape.batchPixels).flatMap { pixel in
      (0..<shape.channels).map { map.elements[map.index(pixel: pixel, channel: $0)] }
    }
    #expect(read == [0, 10, 20, 1, 11, 21, 100, 110, 120, 101, 111, 121])
    #expect(map.location(pixel: 3, channel: 1) == [1, 1, 0, 1])
    #expect(StridedMap([3, 2, 1, 2], planes, as: shape) == nil)
  }
}
