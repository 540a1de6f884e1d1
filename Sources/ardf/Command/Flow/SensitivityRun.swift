import Evaluation
import FileFormats
import Models
import NNRuntime
import NNVerification

/// Lowers a network's layers one at a time, and finds the plan within an error that is expected to be the fastest.
///
/// What it chooses is the same on every run and for any number of threads; times are measured for the report alone.
struct SensitivityRun {
  /// What layers lost, worst first, and the curve from none lowered to all.
  struct Outcome {
    let analysis: SensitivityAnalysis
    let layers: [(layer: SensitivityAnalysis.Layer, score: Double?)]
    let points: [PrecisionSearch.Point]
    /// What layers took; nil where they were not measured.
    let times: SensitivityAnalysis.Times?
    /// The layers that each point lowers, by count.
    let lowered: [Int: Set<String>]
    /// Average precision or AbsRel of the points, where labels were given.
    let scores: [Int: Double]
    /// The plan that was asked for; nil where no error was stated.
    let chosen: (point: PrecisionSearch.Point, plan: MixedPrecision)?
  }

  /// A figure on labeled pictures, of a plan.
  typealias Score = (MixedPrecision) throws -> Double

  let calibrated: CalibratedNetwork
  /// The outputs that errors are counted from.
  let exact: OutputReference
  /// The largest error of the plan; nil for none.
  let maxError: Double?
  let score: Score?
  /// Whether layers are timed.
  let isTimed: Bool

  /// Points of the curve.
  private static let points = 6

  func run() throws -> Outcome {
    let analysis = try SensitivityAnalysis(sessions: calibrated.sessions, exact: exact)
    guard !analysis.candidates.isEmpty else {
      throw CommandError.input(
        "no layer of \(calibrated.network.name) is multiplied in \(analysis.precision.rawValue): nothing can be "
          + "lowered")
    }
    var progress = Progress("layer", of: analysis.candidates.count)
    var layers: [(layer: SensitivityAnalysis.Layer, score: Double?)] = []
    for (index, name) in analysis.candidates.enumerated() {
      let score = try self.score?(analysis.plan(lowering: [name]))
      layers.append((try analysis.layer(name), score))
      progress.update(index + 1)
    }
    progress.finish()
    var search = PrecisionSearch(
      layers.map { ($0.layer.name, $0.layer.error, $0.layer.saved) }, base: try analysis.error(lowering: [])
    ) { try analysis.error(lowering: $0) }
    try search.curve(Self.points)
    var chosen: (PrecisionSearch.Point, MixedPrecision)?
    if let maxError {
      guard let point = try search.most(within: maxError) else {
        let least = search.points.first?.error ?? 0
        throw CommandError.checkFailed(
          "--max-error \(maxError): with every layer in \(analysis.kept.rawValue) the outputs are off by "
            + "\(scientific(least)) already: state a larger error, or another --precision")
      }
      chosen = (point, analysis.plan(lowering: search.layers(point.count)))
    }
    var scores: [Int: Double] = [:]
    if let score {
      for point in search.points {
        scores[point.count] = try score(analysis.plan(lowering: search.layers(point.count)))
      }
    }
    return Outcome(
      analysis: analysis, layers: layers.sorted { $0.layer.error > $1.layer.error }, points: search.points,
      times: isTimed ? try analysis.times() : nil,
      lowered: Dictionary(
        search.points.map { ($0.count, search.layers($0.count)) }, uniquingKeysWith: { first, _ in first }),
      scores: scores, chosen: chosen)
  }
}
