import FileFormats
import NNRuntime
import TestSupport

/// A small network of random weights.
enum SampleNetwork {
  /// A network with every kind of fusion, placement and view, small; `stored` says how its weights are held.
  static func network(
    _ random: inout SplitMix64,
    stored: (_ shape: [Int], _ values: [Float]) -> Tensor = Tensor.init(shape:floats:)
  ) -> Graph {
    func tensor(_ shape: [Int], _ scale: Float = 0.2) -> Tensor {
      stored(
        shape, (0..<shape.reduce(1, *)).map { _ in Float.random(in: -scale...scale, using: &random) })
    }
    let builder = GraphBuilder(name: "test")
    let x = builder.input("x", height: 12, width: 20, channels: 3)
    let stem = x.convolution(tensor([32, 3, 3, 3]), bias: tensor([32]), stride: 2, padding: 1, name: "stem")
      .activation(.silu, name: "stem.act")
    let a = stem.channels(0..<16, name: "a")
    let b = stem.channels(16..<32, name: "b")
    let m = b.adding(
      b.convolution(tensor([16, 16, 3, 3]), padding: 1, name: "m.conv").batchNorm(
        gamma: tensor([16]), beta: tensor([16]), mean: tensor([16]),
        variance: Tensor(shape: [16], floats: [Float](repeating: 0.7, count: 16)),
        epsilon: 1e-3, name: "m.bn"
      ).activation(.silu, name: "m.act"), name: "m.add")
    let cat = builder.concatenate([a, b, m], name: "cat")
    let pooled = cat.maxPool(kernel: 5, stride: 1, padding: 2, name: "pool")
    let depthwise = pooled.convolution(
      tensor([48, 1, 3, 3]), bias: tensor([48]), padding: 1, groups: 48, name: "dw")
    let narrow = depthwise.convolution(tensor([8, 48, 1, 1]), name: "narrow").activation(
      .relu, name: "narrow.act")
    let up = narrow.resized(height: 12, width: 20, .nearest, name: "up")
    let fine = narrow.transposedConvolution(tensor([8, 8, 2, 2]), bias: tensor([8]), stride: 2, name: "fine")
    let both = builder.concatenate([up, fine], name: "both")
    let smooth = both.resized(height: 17, width: 9, .bilinear(alignCorners: true), name: "smooth")
    let tokens = cat.tokens(name: "tokens").linear(tensor([24, 48]), name: "embed").prependingToken(
      tensor([24]), name: "cls")
    let normed = tokens.layerNorm(gamma: tensor([24], 1), beta: tensor([24]), epsilon: 1e-6, name: "norm")
    let qkv = normed.linear(tensor([72, 24]), bias: tensor([72]), name: "qkv")
    let attended = qkv.attention(.packed(heads: 3, width: 8), name: "attention")
    let projected = tokens.adding(
      attended.linear(tensor([24, 24]), bias: tensor([24]), name: "proj").scaled(
        by: tensor([24], 1), name: "ls"),
      name: "residual")
    let grid = projected.tokens(dropping: 1, name: "drop").map(height: 6, width: 10, name: "grid")
    return builder.finished(outputs: [("smooth", smooth), ("grid", grid), ("cat", cat)])
  }

  static func run(_ graph: Graph, _ options: PlanOptions, threads: Int, input: [Float]) throws -> [[Float]] {
    let session = Session(try Plan(graph, options: options), pool: ThreadPool(threads: threads))
    return try session.run { inputs in
      try inputs.fill(inputs.input("x"), with: input)
    } read: { outputs in
      session.plan.outputs.map { outputs.elements(of: $0) }
    }
  }

  static func sample() -> (Graph, [Float]) {
    var random = SplitMix64(seed: 3)
    let graph = network(&random)
    return (graph, (0..<12 * 20 * 3).map { _ in Float.random(in: -1...1, using: &random) })
  }
}

extension InstructionSet {
  /// One that multiplies in bf16, where this CPU has any.
  static var reduced: InstructionSet? { available.first(where: \.hasReducedPrecision) }
}

extension Precision {
  /// The precisions that this processor's kernels compute in.
  static var available: [Precision] {
    (try? Plan(GraphBuilder.empty, options: PlanOptions()))?.availablePrecisions ?? [.fp32]
  }
}

extension GraphBuilder {
  /// A graph of nothing but its input.
  static var empty: Graph {
    let builder = GraphBuilder(name: "none")
    return builder.finished(outputs: [("y", builder.input("x", height: 1, width: 1, channels: 1))])
  }
}

extension InstructionSet {
  /// Whether it multiplies in bf16.
  var hasReducedPrecision: Bool { catalogue?.precisions.contains(.bf16) ?? false }
}
