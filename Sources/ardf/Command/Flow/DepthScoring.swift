import AppCore
import Digests
import Evaluation
import Imaging
import Models
import NNRuntime
import Perception

/// A depth network in one or several precisions against the sensor's readings of captures.
struct DepthScoring: FrameScoring {
  let inputs: RunInputs
  private let file: String
  private let networks: [(precision: Precision, network: any DepthNetwork)]
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
  }

  func run() throws -> DepthReport {
    var results: [[DepthErrors]] = networks.map { _ in [] }
    var frames: [(source: String, name: String)] = []
    var leftOut = IncomparableFrames()
    let unreadable = try forEachFrame {
      try $0.source.frame(at: $0.index)
    } _: { frame, captured in
      do throws(NoReadings) {
        let errors = try errors(of: captured)
        for (index, errors) in errors.enumerated() { results[index].append(errors) }
        frames.append((frame.source.path, captured.name))
      } catch {
        if case .failure(let failure) = error { throw failure }
        leftOut.add(captured.name, "\(error)")
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
      network: network.name, weightsDigest: try sha256Hex(path: file),
      output: network.output.isMetric ? "meters" : "relative depth", unit: unit,
      isPrompted: network.output == .prompted, frames: frames, leftOut: leftOut.reasons,
      unreadable: unreadable,
      rows: rows)
  }

  /// Why a frame is not evaluated.
  private enum NoReadings: Error, CustomStringConvertible {
    case noPicture, noDepth, tooFew(Int)
    case noEstimate(NoEstimate)
    case failure(any Error)

    var description: String {
      switch self {
      case .noPicture: "it has no picture"
      case .noDepth: "it has no depth of a sensor"
      case .tooFew(let count):
        "it has \(count) readings with an estimate, of which none can be evaluated or fitted"
      case .noEstimate(let reason): "\(reason)"
      case .failure(let error): "\(error)"
      }
    }
  }

  /// The errors of every network on a frame.
  private func errors(of frame: CapturedFrame) throws(NoReadings) -> [DepthErrors] {
    guard let image = frame.image else { throw .noPicture }
    guard let depth = frame.depth, let sensor = frame.readings else { throw .noDepth }
    let upright = image.oriented(frame.orientation)
    var all: [DepthErrors] = []
    for (_, network) in networks {
      let estimate: FrameEstimate
      do {
        estimate = try network.estimate(upright, orientation: frame.orientation, sensor: depth).get()
      } catch let error as NoEstimate {
        throw .noEstimate(error)
      } catch {
        throw .failure(error)
      }
      let values = unit == .none ? estimate.depth.metric?.values : estimate.depth.relative.values
      guard let values else { throw .noDepth }
      let cells = values.resizedBilinear(width: depth.width, height: depth.height)
      guard
        let errors = DepthErrors(meters: sensor.values.elements, estimate: cells.elements, unit: unit)
      else { throw .tooFew(sensor.values.elements.count { $0 > 0 }) }
      all.append(errors)
    }
    return all
  }
}
