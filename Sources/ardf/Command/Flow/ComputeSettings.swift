import NNRuntime

/// How networks are computed.
struct ComputeSettings: Sendable {
  /// nil for one a processor.
  var threads: Int?
  var arithmetic = NetworkArithmetic()
  /// Whether infinities and NaN in weights are accepted.
  var allowsNonFinite = false

  /// How the network of some weights, nil for any, is planned; a wrong `ARDF_ISA` is reported before anything is written.
  func planOptions(for weights: WeightStore? = nil) throws -> PlanOptions {
    _ = try InstructionSet.selected()
    return try arithmetic.options(for: weights)
  }

  func makePool() -> ThreadPool { ThreadPool(threads: threads ?? ProcessorShare.threads) }
}
