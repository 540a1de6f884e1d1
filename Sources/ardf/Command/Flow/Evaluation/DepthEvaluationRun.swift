import AppCore
import Digests
import Evaluation
import Models
import NNRuntime
import Perception
import Sharding

/// An evaluation of a depth network, in one or several precisions, against the sensor's readings of captures.
struct DepthEvaluationRun: FrameEvaluationRun {
  let inputs: RunInputs
  private let file: GivenPath
  private let networks: [(precision: Precision, network: any DepthNetwork)]
  private let scoring: DepthScoring
  private let unit: DepthUnitRule

  init(
    _ weights: NetworkWeights, settings: DepthSettings, align: DepthUnitRule?,
    precisions: EvaluatedArithmetic,
    inputs: RunInputs
  ) throws {
    file = weights.file
    self.inputs = inputs
    let pool = precisions.makePool()
    networks = try precisions.precisions(for: weights).map { precision in
      (precision, try settings.network(weights, precisions.compute(precision), pool: pool))
    }
    let isMetric = networks[0].network.output.isMetric
    if align == DepthUnitRule.none, !isMetric {
      throw CommandError.usage(
        "\(weights.file): gives relative depth, which has no unit: leave --align none away")
    }
    unit = align ?? (isMetric ? .none : .scaleShift)
    scoring = DepthScoring(networks.map(\.network), unit: unit)
  }

  func run() throws -> DepthReport {
    var results: [[DepthErrors]] = networks.map { _ in [] }
    var frames: [(source: String, name: String)] = []
    var leftOut = IncomparableFrames()
    let unreadable = try forEachFrame {
      try $0.source.frame(at: $0.index)
    } _: { frame, captured in
      switch try scoring.errors(of: captured) {
      case .success(let errors):
        for (index, errors) in errors.enumerated() { results[index].append(errors) }
        frames.append((frame.source.path, captured.name))
      case .failure(let reason): leftOut.add(captured.name, reason)
      }
    }
    let network = networks[0].network
    let rows = zip(networks, results).compactMap { entry, errors in
      DepthErrors(mean: errors).map {
        DepthReport.Row(precision: entry.precision, mean: $0, frames: errors)
      }
    }
    try leftOut.check(hasRows: !rows.isEmpty)
    return DepthReport(
      network: network.name, weightsDigest: try sha256Hex(path: file.path),
      output: network.output.isMetric ? "meters" : "relative depth", unit: unit,
      isPrompted: network.output == .prompted, frames: frames, leftOut: leftOut.reasons,
      unreadable: unreadable,
      rows: rows)
  }
}
