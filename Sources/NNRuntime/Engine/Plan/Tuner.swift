import NNKernelInterface

/// Measures which algorithm computes each convolution of a network fastest on this machine.
package struct Tuner {
  /// Timed runs of each algorithm, and runs before them.
  package var runs = 15
  /// Share of its time by which another algorithm must beat the planned one: less is noise.
  package var margin = 0.03

  /// 15 runs, 3 %.
  package init() {}

  /// Times every algorithm of every convolution of the plans that can be computed in more than one way.
  ///
  /// Each is a network of its own, with noise as input and weights. The runs of a convolution's algorithms
  /// are interleaved, and the best time of each counts. `observe` is called after each convolution, with the
  /// number done and the total.
  ///
  /// - `plans`: of one backend; at least one.
  /// - Throws: what `Plan` throws for the plans' backend.
  package func measure(
    _ plans: [Plan], pool: ThreadPool,
    observe: (_ entry: MeasuredChoices.Entry, _ done: Int, _ of: Int) -> Void
  ) throws -> MeasuredChoices {
    var shapes: [(ConvolutionShape, Plan)] = []
    for plan in plans {
      for shape in plan.tunableConvolutions where !shapes.contains(where: { $0.0 == shape }) {
        shapes.append((shape, plan))
      }
    }
    var entries: [MeasuredChoices.Entry] = []
    for (shape, plan) in shapes {
      let entry = try measure(shape, plan, pool)
      entries.append(entry)
      observe(entry, entries.count, shapes.count)
    }
    return try MeasuredChoices(kernels: plans[0].catalogue.floats, entries: entries)
  }

  private func measure(
    _ shape: ConvolutionShape, _ plan: Plan, _ pool: ThreadPool
  ) throws -> MeasuredChoices.Entry {
    let kernels = plan.catalogue.candidates(shape)
    let algorithms = kernels.map(\.algorithm)
    let best = try KernelBenchmark(runs: runs).measure(shape, kernels, plan.options, pool: pool)
      .map { $0.milliseconds.min() ?? .infinity }
    let planned = plan.catalogue.choice(shape)?.kernel.algorithm ?? algorithms[0]
    let times = Dictionary(uniqueKeysWithValues: zip(algorithms, best))
    let fastest = algorithms.min { times[$0]! < times[$1]! }!
    let wins = times[fastest]! < times[planned]! * (1 - margin)
    return MeasuredChoices.Entry(shape: shape, algorithm: wins ? fastest : planned, milliseconds: times)
  }
}

extension Plan {
  /// Convolutions that more than one algorithm can compute, each shape once, in running order.
  var tunableConvolutions: [ConvolutionShape] {
    denseConvolutions.filter { catalogue.candidates($0).count > 1 }
  }
}
