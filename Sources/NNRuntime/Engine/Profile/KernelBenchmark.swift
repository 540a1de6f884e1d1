import NNKernelInterface

/// Times the kernels of dense convolutions, each alone in a network of one convolution, interleaved with the
/// other kernels that can compute the same.
package struct KernelBenchmark: Sendable {
  /// Runs that count, and runs before them.
  package var runs, warmUp: Int

  /// Measures `runs` after `warmUp`.
  package init(runs: Int = 15, warmUp: Int = 1) {
    self.runs = runs
    self.warmUp = warmUp
  }

  /// A kernel on a convolution.
  package struct Result: Sendable {
    /// The convolution.
    package let shape: ConvolutionShape
    /// After its catalogue, as plans name it.
    package let kernel: String
    /// Multiplications and additions of the convolution as it is defined, whatever the algorithm: 2 x MAC.
    package let operations: Double
    /// Time of every run.
    package let milliseconds: [Double]
  }

  /// Times all kernels of the plan's catalogue on all dense convolutions of `plan`, each shape once, in
  /// running order; `observe` gets the number of shapes done and the total.
  ///
  /// - Throws: what `Plan` throws for the plan's backend.
  package func measure(
    _ plan: Plan, pool: ThreadPool, observe: (_ done: Int, _ of: Int) -> Void
  ) throws -> [Result] {
    let shapes = plan.denseConvolutions
    var results: [Result] = []
    for (index, shape) in shapes.enumerated() {
      let kernels = plan.catalogue.convolutions.filter { $0.domain.contains(shape) && $0.fuses(.none, .none) }
      results += try measure(shape, kernels, plan.options, pool: pool)
      observe(index + 1, shapes.count)
    }
    return results
  }

  /// Times some kernels on one convolution.
  func measure(
    _ shape: ConvolutionShape, _ kernels: [ConvolutionKernel], _ options: PlanOptions, pool: ThreadPool
  ) throws -> [Result] {
    let graph = Self.graph(of: shape)
    let sessions = try kernels.map { kernel in
      var options = options
      options.precision = Precision(kernel.products)
      options.kernel = kernel.fullName
      options.measured = nil
      return Session(try Plan(graph, options: options), pool: pool)
    }
    let input = SeededInput.uniform(count: shape.inHeight * shape.inWidth * shape.inChannels)
    var times = [[Double]](repeating: [], count: kernels.count)
    for run in 0..<warmUp + runs {
      for (index, session) in sessions.enumerated() {
        let layers = session.plan.layers
        session.profile(
          prepare: { inputs in inputs.fill(session.plan.inputs[0], with: input) },
          observe: { layer, nanoseconds in
            guard run >= warmUp, layers[layer].name == Self.name else { return }
            times[index].append(Double(nanoseconds) / 1e6)
          }, read: { _ in })
      }
    }
    return zip(kernels, times).map { kernel, times in
      let filter = shape.inChannels * shape.kernelHeight * shape.kernelWidth
      return Result(
        shape: shape, kernel: kernel.fullName,
        operations: 2 * Double(filter * shape.outChannels * shape.outHeight * shape.outWidth),
        milliseconds: times)
    }
  }

  private static let name = "convolution"

  /// The convolution and a SiLU, between two steps that keep it from the network's borders, which are floats in every
  /// precision; the weights average what they see, so that numbers stay ordinary.
  private static func graph(of shape: ConvolutionShape) -> Graph {
    let filter = shape.inChannels * shape.kernelHeight * shape.kernelWidth
    let weights = Tensor(
      shape: [shape.outChannels, shape.inChannels, shape.kernelHeight, shape.kernelWidth],
      floats: [Float](repeating: 1 / Float(filter), count: shape.outChannels * filter))
    let builder = GraphBuilder(name: name)
    let y = builder.input("x", height: shape.inHeight, width: shape.inWidth, channels: shape.inChannels)
      .activation(.relu, name: "before")
      .convolution(weights, over: shape.window, groups: 1, name: name)
      .activation(.silu, name: "act")
      .activation(.relu, name: "behind")
    return builder.finished(outputs: [("y", y)])
  }
}

extension Plan {
  /// The shapes of dense convolutions, each once, in running order.
  var denseConvolutions: [ConvolutionShape] {
    var seen = Set<ConvolutionShape>()
    return assignment.nodes.compactMap { node in
      guard let layer = node.operation as? Convolution, !layer.isDepthwise else { return nil }
      let shape = node.convolutionShape(layer, assignment.shapes)
      return seen.insert(shape).inserted ? shape : nil
    }
  }
}
