import AppCore
import ArgumentParser
import Digests
import Evaluation
import Models
import NNRuntime
import Perception

/// Boxes that a detector and the sensor's depth measure, against those that captures are annotated with.
struct BoxScoring {
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

  /// Measures all frames; those that cannot be read are reported and left out.
  func run() throws -> BoxReport {
    var boxes = BoxReport.Boxes()
    var annotations: (path: String, boxes: BoxAnnotations)?
    var unreadable = LeftOutInputs(unit: "frames")
    var frames = 0
    var progress = Progress("frame", of: inputs.frames.count)
    for (done, frame) in inputs.frames.enumerated() {
      defer { progress.update(done + 1) }
      let path = frame.source.path
      let known: BoxAnnotations
      if let open = annotations, open.path == path {
        known = open.boxes
      } else {
        known = try BoxAnnotations(of: frame.source, limits: limits.capture)
      }
      annotations = (path, known)
      func attempt() throws {
        let captured = try frame.source.frame(at: frame.index)
        let truth = try known.boxes(of: captured)
        let extents = try perceiver.perceiveInTurn(captured).extents
        boxes.add(extents, truth, frame: frames)
        frames += 1
      }
      if inputs.frames.count == 1 { try attempt() } else { try unreadable.attempt(frame) { try attempt() } }
    }
    progress.finish()
    try unreadable.checkAnyLeft(of: inputs.frames.count)
    return BoxReport(
      network: perceiver.detector.network.name, weightsDigest: try sha256Hex(path: file), frames: frames,
      unreadable: unreadable, rows: boxes.rows)
  }
}
