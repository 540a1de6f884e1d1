import AppCore
import Digests
import Evaluation
import Geometry
import Imaging
import Models
import NNRuntime
import Perception

/// The sensor's depth, what fusion makes of it, and the fit alone, against a laser scanner's.
struct LaserScoring {
  /// The truth is compared at about so many columns, whatever its resolution.
  private static let columns = 512

  let inputs: RunInputs
  private let file: String
  private let network: any DepthNetwork
  private let limits: LimitOptions

  init(
    _ weights: NetworkWeights, options: DepthEvaluationOptions, precisions: EvaluatedPrecisions,
    limits: LimitOptions, sources: [String]
  ) throws {
    let asked = try precisions.precisions(for: weights)
    guard asked.count == 1 else {
      throw CommandError.usage("--laser: give one --precision; there are \(asked.count)")
    }
    file = weights.file
    self.limits = limits
    let sensor = try options.sensor()
    inputs = try RunInputs(sources, names: options.frame) {
      sensor.told(try CaptureReader.open($0, limits: limits.capture, photographs: .exif))
    }
    network = try options.options(weights.file).network(
      weights, precisions.compute(asked[0]), pool: precisions.makePool())
  }

  /// Compares all frames that have a laser's depth; others are left out with a reason.
  func run() throws -> LaserReport {
    var results: [[LaserErrors]] = LaserReport.ways.map { _ in [] }
    var frames: [(source: String, name: String)] = []
    var leftOut: [(name: String, reason: String)] = []
    var unreadable = LeftOutInputs(unit: "frames")
    var laser: (path: String, depth: LaserDepth)?
    var progress = Progress("frame", of: inputs.frames.count)
    for (done, frame) in inputs.frames.enumerated() {
      defer { progress.update(done + 1) }
      let path = frame.source.path
      let depth: LaserDepth
      if let open = laser, open.path == path {
        depth = open.depth
      } else {
        depth = try LaserDepth(of: frame.source, limits: limits.capture)
      }
      laser = (path, depth)
      let reference = frame.source.frames[frame.index]
      var read: (frame: CapturedFrame, truth: Plane<Float>)?
      var isMissing = false
      func attempt() throws {
        guard let truth = try depth.map(of: reference) else {
          isMissing = true
          return
        }
        read = (try frame.source.frame(at: frame.index), truth)
      }
      if inputs.frames.count == 1 { try attempt() } else { try unreadable.attempt(frame) { try attempt() } }
      if isMissing { leftOut.append((reference.name, "it has no depth of a laser scanner")) }
      guard let read else { continue }
      switch try errors(of: read.frame, read.truth) {
      case .success(let errors):
        for (index, errors) in errors.enumerated() { results[index].append(errors) }
        frames.append((path, read.frame.name))
      case .failure(let reason): leftOut.append((read.frame.name, reason.text))
      }
    }
    progress.finish()
    try unreadable.checkAnyLeft(of: inputs.frames.count)
    let rows = zip(LaserReport.ways, results).compactMap { way, errors in
      LaserErrors(mean: errors).map { LaserReport.Row(way: way, mean: $0, frames: errors) }
    }
    guard !rows.isEmpty else {
      throw CommandError.input(
        "no frame is left to evaluate: \(leftOut.first.map { "\($0.name): \($0.reason)" } ?? "there is none")"
      )
    }
    return LaserReport(
      network: network.name, weightsDigest: try sha256Hex(path: file), frames: frames, leftOut: leftOut,
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
