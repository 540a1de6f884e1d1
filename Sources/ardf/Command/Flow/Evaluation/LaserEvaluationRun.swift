import AppCore
import Digests
import Evaluation
import Models
import NNRuntime
import Perception
import Sharding

/// An evaluation of the sensor's depth, fused depth and the fit alone against a laser scanner's depth.
struct LaserEvaluationRun: FrameEvaluationRun {
  let inputs: RunInputs
  private let file: GivenPath
  private let scoring: LaserScoring
  private let limits: CaptureLimits

  init(
    _ weights: NetworkWeights, settings: DepthSettings, compute: ComputeSettings, pool: ThreadPool,
    limits: CaptureLimits, inputs: RunInputs
  ) throws {
    file = weights.file
    self.limits = limits
    self.inputs = inputs
    scoring = LaserScoring(try settings.network(weights, compute, pool: pool))
  }

  func run() throws -> LaserReport {
    var results: [[LaserErrors]] = LaserScoring.ways.map { _ in [] }
    var frames: [(source: String, name: String)] = []
    var leftOut = IncomparableFrames()
    var laser = OncePerSource<LaserDepth>()
    let unreadable = try forEachFrame { frame in
      let depth = try laser.of(frame.source) { try LaserDepth(of: $0, limits: limits) }
      let truth = try depth.map(of: frame.reference)
      return (captured: truth == nil ? nil : try frame.source.frame(at: frame.index), truth: truth)
    } _: { frame, read in
      guard let captured = read.captured, let truth = read.truth else {
        leftOut.add(frame.reference.name, .noLaser)
        return
      }
      switch try scoring.errors(of: captured, truth) {
      case .success(let errors):
        for (index, errors) in errors.enumerated() { results[index].append(errors) }
        frames.append((frame.source.path, captured.name))
      case .failure(let reason): leftOut.add(captured.name, reason)
      }
    }
    let rows = zip(LaserScoring.ways, results).compactMap { way, errors in
      LaserErrors(mean: errors).map { LaserReport.Row(way: way, mean: $0, frames: errors) }
    }
    try leftOut.check(hasRows: !rows.isEmpty)
    return LaserReport(
      network: scoring.network.name, weightsDigest: try sha256Hex(path: file.path), frames: frames,
      leftOut: leftOut.reasons,
      unreadable: unreadable, rows: rows)
  }
}
