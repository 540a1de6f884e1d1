import FileFormats
import NNRuntime

/// The precision and the algorithms of networks.
struct NetworkArithmetic: Sendable {
  /// The precision; nil for fp32 or for the precisions of plans.
  var asked: AskedPrecision?
  /// Files of plans: algorithms that were measured, or precisions of layers.
  var plans: [String] = []
  /// A plan in memory instead of a file.
  var planned: MixedPrecision?

  /// The files that --plan takes.
  static let plan = "a plan file of ardf tune, or of ardf verify --sensitivity"

  /// The precision of networks without a plan, whose weights state no error.
  var precision: Precision {
    switch asked {
    case nil: .fp32
    case .exactly(let precision): precision
    case .fastest: automatic(for: nil)?.precision ?? .fp32
    }
  }

  /// The choice of `auto` for weights, nil for any; nil where it was not asked for, and where a wrong `ARDF_ISA` leaves
  /// no kernels.
  func automatic(for weights: WeightStore?) -> AutomaticPrecision? {
    guard case .fastest(let bound) = asked, let kernels = try? Backend.native.catalogue() else { return nil }
    let provenance = weights?.metadata[QuantizedWeights.provenanceKey].flatMap { try? JSONValue.parse($0) }
    return AutomaticPrecision(
      within: bound, own: provenance?["int8Error"]?.number, available: kernels.precisions,
      kernels: kernels.name)
  }

  /// `options` with the precision and plans asked for.
  ///
  /// - `weights`: of the network.
  func options(_ options: PlanOptions = PlanOptions(), for weights: WeightStore? = nil) throws -> PlanOptions
  {
    var options = options
    options.precision = precision
    if let weights, let chosen = automatic(for: weights) {
      options.precision = chosen.precision
      chosen.tell(of: weights.file)
    }
    if let planned { options.mixed[planned.network] = planned }
    for path in plans {
      try InFile.naming(path) {
        let document = try JSONFile.read(path, wanted: Self.plan)
        if document["schema"]?.string == MixedPrecision.schema {
          let mixed = try MixedPrecision(document)
          if case .exactly(let asked) = asked, asked != mixed.precision {
            throw MixedPrecisionError.otherPrecision(mixed.precision, asked: asked)
          }
          guard options.mixed.updateValue(mixed, forKey: mixed.network) == nil else {
            throw MixedPrecisionError.twice(network: mixed.network)
          }
        } else {
          let choices = try MeasuredChoices(document)
          options.measured = try options.measured?.merging(choices) ?? choices
        }
      }
    }
    return options
  }

  /// Checks, for a single network, that no mixed-precision plan belongs to another network.
  func checkPlans(areOf network: String) throws {
    guard let other = try options().mixed.keys.sorted().first(where: { $0 != network }) else { return }
    throw CommandError.input(
      "the plan is of \(printableName(other)), the weights are of \(network): give a plan of this network")
  }

  /// Whether any layer may be computed in less than fp32.
  var mayReduce: Bool { precision != .fp32 || !plans.isEmpty }
}
