import NNRuntime

/// How networks are computed.
struct ComputeSettings: Sendable {
  /// Number of threads; nil for one for each processor.
  var threads: Int?
  var arithmetic = NetworkArithmetic()
  /// Whether infinities and NaN in weights are accepted.
  var allowsNonFinite = false

  /// The plan options for some weights (nil for any); an invalid `ARDF_ISA` is reported before anything is written.
  func planOptions(for weights: WeightStore? = nil) throws -> PlanOptions {
    _ = try InstructionSet.selected()
    return try arithmetic.options(for: weights)
  }

  func makePool() -> ThreadPool { ThreadPool(threads: threads ?? ProcessorShare.threads) }
}
