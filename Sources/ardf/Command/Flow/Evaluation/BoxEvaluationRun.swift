import AppCore
import Digests
import Evaluation
import Models
import NNRuntime
import Perception
import Sharding

/// An evaluation of boxes measured by a detector and the sensor's depth, against the annotations of captures.
struct BoxEvaluationRun: FrameEvaluationRun {
  let inputs: RunInputs
  private let file: GivenPath
  private let perceiver: Perceiver
  private let limits: CaptureLimits

  init(
    _ weights: NetworkWeights, settings: DetectorSettings, compute: ComputeSettings, pool: ThreadPool,
    limits: CaptureLimits, inputs: RunInputs
  ) throws {
    file = weights.file
    self.limits = limits
    self.inputs = inputs
    let detector = try settings.detector(weights, compute, pool: pool)
    var perceiver = Perceiver(detector: detector, isOverlapped: false)
    perceiver.measuringThreads = pool.threads
    self.perceiver = perceiver
  }

  func run() throws -> BoxReport {
    var boxes = BoxScoring()
    var annotations = OncePerSource<BoxAnnotations>()
    var frames = 0
    let unreadable = try forEachFrame { frame in
      let known = try annotations.of(frame.source) { try BoxAnnotations(of: $0, limits: limits) }
      let captured = try frame.source.frame(at: frame.index)
      return (captured: captured, truth: try known.boxes(of: captured))
    } _: { _, read in
      boxes.add(try perceiver.perceiveInTurn(read.captured).extents, read.truth, frame: frames)
      frames += 1
    }
    return BoxReport(
      network: perceiver.detector.network.name, weightsDigest: try sha256Hex(path: file.path), frames: frames,
      unreadable: unreadable, rows: boxes.rows)
  }
}
