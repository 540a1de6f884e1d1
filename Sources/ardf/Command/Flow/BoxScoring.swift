import AppCore
import ArgumentParser
import Digests
import Evaluation
import Models
import NNRuntime
import Perception

/// Boxes that a detector and the sensor's depth measure, against those that captures are annotated with.
struct BoxScoring: FrameScoring {
  let inputs: RunInputs
  private let file: String
  private let perceiver: Perceiver
  private let limits: LimitOptions

  init(
    _ weights: NetworkWeights, options: ObjectEvaluationOptions, frames: [String],
    precisions: EvaluatedPrecisions, limits: LimitOptions, sources: [String]
  ) throws {
    let asked = try precisions.precisions(for: weights)
    guard asked.count == 1 else {
      throw CommandError.usage("--boxes: give one --precision; there are \(asked.count)")
    }
    file = weights.file
    self.limits = limits
    inputs = try RunInputs(sources, names: frames) {
      try CaptureReader.open($0, limits: limits.capture, photographs: .exif)
    }
    let pool = precisions.makePool()
    let detector = try DetectorOptions.parse(options.measured(weights.file))
      .detector(precisions.compute(asked[0]), pool: pool)
    var perceiver = Perceiver(detector: detector, isOverlapped: false)
    perceiver.measuringThreads = pool.threads
    self.perceiver = perceiver
  }

  func run() throws -> BoxReport {
    var boxes = BoxReport.Boxes()
    var annotations = OncePerSource<BoxAnnotations>()
    var frames = 0
    let unreadable = try forEachFrame { frame in
      let known = try annotations.of(frame.source) { try BoxAnnotations(of: $0, limits: limits.capture) }
      let captured = try frame.source.frame(at: frame.index)
      return (captured: captured, truth: try known.boxes(of: captured))
    } _: { _, read in
      boxes.add(try perceiver.perceiveInTurn(read.captured).extents, read.truth, frame: frames)
      frames += 1
    }
    return BoxReport(
      network: perceiver.detector.network.name, weightsDigest: try sha256Hex(path: file), frames: frames,
      unreadable: unreadable, rows: boxes.rows)
  }
}
