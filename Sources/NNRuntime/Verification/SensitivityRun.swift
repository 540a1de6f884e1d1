import NNRuntime

/// Lowers a network's layers one at a time, and finds the plan within an error that is expected to be the fastest.
///
/// The choice is the same on every run and for any number of threads; times are measured for the report alone.
package struct SensitivityRun {
  /// Errors of layers, worst first, and the curve from none lowered to all.
  package struct Findings {
    package let analysis: SensitivityAnalysis
    package let layers: [(layer: SensitivityAnalysis.Layer, score: Double?)]
    package let points: [PrecisionSearch.Point]
    /// Times of layers; nil where not measured.
    package let times: SensitivityAnalysis.Times?
    /// The layers that each point lowers, by count.
    package let lowered: [Int: Set<String>]
    /// Average precision or AbsRel of the points, where labels were given.
    package let scores: [Int: Double]
    /// The plan that was asked for; nil where no error was stated.
    package let chosen: (point: PrecisionSearch.Point, plan: MixedPrecision)?
  }

  /// A figure on labeled pictures, of a plan.
  package typealias Score = (MixedPrecision) throws -> Double

  private let calibrated: CalibratedNetwork
  private let exact: OutputReference
  private let maxError: Double?
  private let score: Score?
  private let isTimed: Bool

  /// Points of the curve.
  private static let points = 6

  /// A run.
  ///
  /// - Parameters:
  ///   - calibrated: The network in the precision to look at.
  ///   - exact: The outputs that errors are counted from.
  ///   - maxError: The largest error of the plan; nil for no plan.
  ///   - score: The figure of a plan; nil where errors alone are wanted.
  ///   - isTimed: Whether layers are timed.
  package init(
    calibrated: CalibratedNetwork, exact: OutputReference, maxError: Double?, score: Score?, isTimed: Bool
  ) {
    (self.calibrated, self.exact, self.maxError) = (calibrated, exact, maxError)
    (self.score, self.isTimed) = (score, isTimed)
  }

  /// Lowers each layer by itself, then several together.
  ///
  /// - Parameter onLayer: Called after each layer.
  /// - Returns: The ranking, the curve and the plan.
  /// - Throws: `SensitivityError`, `PlanError`, and what preparing pictures and `score` throw.
  package func run(onLayer: StepObserver) throws -> Findings {
    let analysis = try SensitivityAnalysis(sessions: calibrated.sessions, exact: exact)
    guard !analysis.candidates.isEmpty else {
      throw SensitivityError.nothingToLower(network: calibrated.name, analysis.precision)
    }
    var layers: [(layer: SensitivityAnalysis.Layer, score: Double?)] = []
    for (index, name) in analysis.candidates.enumerated() {
      let score = try self.score?(analysis.plan(lowering: [name]))
      layers.append((try analysis.layer(name), score))
      onLayer(index + 1, analysis.candidates.count)
    }
    var search = PrecisionSearch(
      layers.map { ($0.layer.name, $0.layer.error, $0.layer.saved) }, base: try analysis.error(lowering: [])
    ) { try analysis.error(lowering: $0) }
    try search.curve(Self.points)
    var chosen: (PrecisionSearch.Point, MixedPrecision)?
    if let maxError {
      guard let point = try search.most(within: maxError) else {
        throw SensitivityError.outOfReach(kept: analysis.kept, error: search.points.first?.error ?? 0)
      }
      chosen = (point, analysis.plan(lowering: search.layers(point.count)))
    }
    var scores: [Int: Double] = [:]
    if let score {
      for point in search.points {
        scores[point.count] = try score(analysis.plan(lowering: search.layers(point.count)))
      }
    }
    return Findings(
      analysis: analysis, layers: layers.sorted { $0.layer.error > $1.layer.error }, points: search.points,
      times: isTimed ? try analysis.times() : nil,
      lowered: Dictionary(
        search.points.map { ($0.count, search.layers($0.count)) }, uniquingKeysWith: { first, _ in first }),
      scores: scores, chosen: chosen)
  }
}
