import NNKernelInterface

/// Measures which algorithm computes each convolution of a network fastest on this machine.
public struct Tuner {
  /// Timed runs of each algorithm, and runs before them.
  public var runs = 15
  /// Share of its time by which another algorithm must beat the planned one: less is noise.
  public var margin = 0.03

  /// 15 runs, 3 %.
  public init() {}

  /// Times every algorithm of every convolution of `plan` that can be computed in more than one way.
  ///
  /// Each is a network of its own, with noise as input and weights; the algorithms of a convolution take turns, and
  /// the best time of each counts. `observe` is told of each convolution as it is done, and how many there are.
  ///
  /// - Throws: what `Plan` throws for the plan's backend.
  public func measure(
    _ plan: Plan, pool: ThreadPool, observe: (_ entry: MeasuredChoices.Entry, _ done: Int, _ of: Int) -> Void
  ) throws -> MeasuredChoices {
    let shapes = plan.tunableConvolutions
    var entries: [MeasuredChoices.Entry] = []
    for shape in shapes {
      let entry = try measure(shape, plan, pool)
      entries.append(entry)
      observe(entry, entries.count, shapes.count)
    }
    return try MeasuredChoices(kernels: plan.catalogue.floats, entries: entries)
  }

  private func measure(
    _ shape: ConvolutionShape, _ plan: Plan, _ pool: ThreadPool
  ) throws -> MeasuredChoices.Entry {
    let graph = Self.graph(of: shape)
    let algorithms = plan.catalogue.candidates(shape).map(\.algorithm)
    let sessions = try algorithms.map { algorithm in
      var options = plan.options
      options.precision = .fp32
      options.measured = try MeasuredChoices(
        kernels: plan.catalogue.floats,
        entries: [MeasuredChoices.Entry(shape: shape, algorithm: algorithm, milliseconds: [:])])
      return Session(try Plan(graph, options: options), pool: pool)
    }
    let input = SeededInput.uniform(count: shape.inHeight * shape.inWidth * shape.inChannels)
    var best = [Double](repeating: .infinity, count: algorithms.count)
    for run in 0...runs {
      for (index, session) in sessions.enumerated() {
        var layer = 0.0
        session.profile(
          prepare: { inputs in inputs.fill("x", with: input) },
          observe: { _, nanoseconds in layer += Double(nanoseconds) }, read: { _ in })
        if run > 0 { best[index] = min(best[index], layer / 1e6) }
      }
    }
    let planned = plan.catalogue.choice(shape)?.kernel.algorithm ?? algorithms[0]
    let times = Dictionary(uniqueKeysWithValues: zip(algorithms, best))
    let fastest = algorithms.min { times[$0]! < times[$1]! }!
    let wins = times[fastest]! < times[planned]! * (1 - margin)
    return MeasuredChoices.Entry(shape: shape, algorithm: wins ? fastest : planned, milliseconds: times)
  }

  /// The convolution and a SiLU, as a network; the weights average what they see, so that numbers stay ordinary.
  private static func graph(of shape: ConvolutionShape) -> Graph {
    let filter = shape.inChannels * shape.kernelHeight * shape.kernelWidth
    let weights = Tensor(
      shape: [shape.outChannels, shape.inChannels, shape.kernelHeight, shape.kernelWidth],
      floats: [Float](repeating: 1 / Float(filter), count: shape.outChannels * filter))
    let builder = GraphBuilder(name: "convolution")
    let y = builder.input("x", height: shape.inHeight, width: shape.inWidth, channels: shape.inChannels)
      .convolution(weights, stride: shape.stride, padding: shape.padding, name: "convolution")
      .activation(.silu, name: "act")
    return builder.finish(outputs: [("y", y)])
  }
}

extension Plan {
  /// Convolutions that more than one algorithm can compute, each shape once, in running order.
  var tunableConvolutions: [ConvolutionShape] {
    var seen = Set<ConvolutionShape>()
    return placement.nodes.compactMap { node in
      guard case .convolution(let layer) = node.operation, !layer.isDepthwise else { return nil }
      let shape = node.convolutionShape(layer, placement.shapes)
      guard catalogue.candidates(shape).count > 1, seen.insert(shape).inserted else { return nil }
      return shape
    }
  }
}
