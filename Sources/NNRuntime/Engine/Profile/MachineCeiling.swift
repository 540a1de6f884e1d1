import NNKernelInterface

/// Peak performance of the machine, measured with the runtime's own kernels and threads: the roof of a roofline.
public struct MachineCeiling: Sendable, Equatable {
  /// Multiplications and additions a second, in GFLOP/s: the best time of a product that stays in the caches.
  public let peak: Double
  /// GB/s read and written by an elementwise layer on maps that no cache holds.
  public let bandwidth: Double

  /// Known already.
  public init(peak: Double, bandwidth: Double) {
    self.peak = peak
    self.bandwidth = bandwidth
  }

  /// Products of 1024 pixels by 256 channels with 256 x 256 weights: half a megabyte at a time for two
  /// threads, all work in the register tile.
  private static let product = MapShape(height: 32, width: 32, channels: 256)
  private static let products = 4
  /// 64 MB.
  private static let large = MapShape(height: 1024, width: 1024, channels: 16)
  private static let repetitions = (product: 40, large: 5)

  /// Measures for some tens of milliseconds.
  ///
  /// - Throws: `PlanError` where the backend can't be had.
  public static func measure(backend: Backend, pool: ThreadPool) throws(PlanError) -> MachineCeiling {
    let options = PlanOptions(backend: backend)
    let channels = product.channels
    // Rows that sum to one keep the numbers ordinary: no denormals, no infinities.
    let weights = Tensor(
      shape: [channels, channels],
      floats: [Float](repeating: 1 / Float(channels), count: channels * channels))
    let gemm = GraphBuilder(name: "peak")
    var x = gemm.input("x", height: product.height, width: product.width, channels: channels)
    for index in 0..<products { x = x.linear(weights, name: "product.\(index)") }
    let copies = GraphBuilder(name: "bandwidth")
    let y = copies.input("x", height: large.height, width: large.width, channels: large.channels)
      .activation(.relu, name: "relu")
    let peak = try best(gemm.finished(outputs: [("x", x)]), options, pool, repetitions.product) {
      _, operations in operations
    }
    let bandwidth = try best(copies.finished(outputs: [("y", y)]), options, pool, repetitions.large) {
      bytes, _ in
      Double(bytes)
    }
    return MachineCeiling(peak: peak, bandwidth: bandwidth)
  }

  /// The most of `work(bytes, operations)` a nanosecond of any layer in any repetition.
  private static func best(
    _ graph: Graph, _ options: PlanOptions, _ pool: ThreadPool, _ repetitions: Int,
    work: (Int, Double) -> Double
  ) throws(PlanError) -> Double {
    let session = Session(try Plan(graph, options: options), pool: pool)
    let input = session.plan.inputs[0]
    let layers = zip(session.plan.layerBytes, session.plan.layers).map { work($0, $1.operations) }
    var best = 0.0
    for _ in 0..<repetitions {
      _ = session.profile(
        prepare: { inputs in
          inputs.fill(input) { span in for index in span.indices { span[index] = 1 } }
        },
        observe: { layer, nanoseconds in best = max(best, layers[layer] / Double(max(1, nanoseconds))) },
        read: { _ in 0 })
    }
    return best
  }
}
