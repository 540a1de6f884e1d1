import AppCore
import Digests
import Evaluation
import Geometry
import Imaging
import Models
import NNRuntime
import Perception

/// The sensor's depth, what fusion makes of it, and the fit alone, against a laser scanner's.
struct LaserScoring: FrameScoring {
  /// The truth is compared at about so many columns, whatever its resolution.
  private static let columns = 512

  let inputs: RunInputs
  private let file: String
  private let network: any DepthNetwork
  private let limits: CaptureLimits

  init(
    _ weights: NetworkWeights, settings: DepthSettings, compute: ComputeSettings, pool: ThreadPool,
    limits: CaptureLimits, inputs: RunInputs
  ) throws {
    file = weights.file
    self.limits = limits
    self.inputs = inputs
    network = try settings.network(weights, compute, pool: pool)
  }

  func run() throws -> LaserReport {
    var results: [[LaserErrors]] = LaserReport.ways.map { _ in [] }
    var frames: [(source: String, name: String)] = []
    var leftOut = IncomparableFrames()
    var laser = OncePerSource<LaserDepth>()
    let unreadable = try forEachFrame { frame in
      let depth = try laser.of(frame.source) { try LaserDepth(of: $0, limits: limits) }
      let truth = try depth.map(of: frame.reference)
      return (captured: truth == nil ? nil : try frame.source.frame(at: frame.index), truth: truth)
    } _: { frame, read in
      guard let captured = read.captured, let truth = read.truth else {
        leftOut.add(frame.reference.name, "it has no depth of a laser scanner")
        return
      }
      switch try errors(of: captured, truth) {
      case .success(let errors):
        for (index, errors) in errors.enumerated() { results[index].append(errors) }
        frames.append((frame.source.path, captured.name))
      case .failure(let reason): leftOut.add(captured.name, reason.text)
      }
    }
    let rows = zip(LaserReport.ways, results).compactMap { way, errors in
      LaserErrors(mean: errors).map { LaserReport.Row(way: way, mean: $0, frames: errors) }
    }
    try leftOut.check(hasRows: !rows.isEmpty)
    return LaserReport(
      network: network.name, weightsDigest: try sha256Hex(path: file), frames: frames,
      leftOut: leftOut.reasons,
      unreadable: unreadable, rows: rows)
  }

  /// Why a frame is left out.
  private struct Reason: Error {
    let text: String
  }

  /// The errors of each way, in the order of `LaserReport.ways`.
  private func errors(of frame: CapturedFrame, _ truth: Plane<Float>) throws -> Result<[LaserErrors], Reason>
  {
    func refused(_ text: String) -> Result<[LaserErrors], Reason> { .failure(Reason(text: text)) }
    guard let image = frame.image else { return refused("it has no picture") }
    guard let sensed = frame.depth else { return refused("it has no depth of a sensor") }
    let estimate: FrameEstimate
    switch try network.estimate(
      image.oriented(frame.orientation), orientation: frame.orientation, sensor: sensed)
    {
    case .success(let found): estimate = found
    case .failure(let reason): return refused("\(reason)")
    }
    func fused(_ method: FusionMethod) -> MetricDepth? {
      DepthFusion.fuse(
        relative: estimate.depth.relative, frame: frame, options: FusionOptions(method: method))?.metric
    }
    guard let guided = fused(.guided), let fit = fused(.fit) else {
      return refused("relative depth cannot be fitted to its readings")
    }
    // Every reading of the sensor counts, as in what others publish of it.
    let ways = [MetricDepth(fitted: sensed), guided, fit]
    let step = max(1, truth.width / Self.columns)
    let rows = Array(stride(from: step / 2, to: truth.height, by: step))
    let columns = Array(stride(from: step / 2, to: truth.width, by: step))
    let places = rows.flatMap { y in columns.map { (x: $0, y: y) } }
    let values = ways.map { way in
      places.map { place -> Float in
        let center = Point2<ImagePixels>(Double(place.x) + 0.5, Double(place.y) + 0.5)
        return Float(way.meters(at: center, imageSize: truth.size) ?? 0)
      }
    }
    let exact = places.map { truth[$0.x, $0.y] }
    guard let errors = LaserErrors.compared(truth: exact, width: columns.count, ways: values) else {
      return refused("no pixel has both the laser's depth and the sensor's")
    }
    return .success(errors)
  }
}
