import AppCore
import Geometry
import Imaging
import Models
import NNRuntime

/// How long the stages of the whole flow take on one frame, one after another.
///
/// `ardf run` overlaps the two networks; here every stage has the machine to itself, so that the times add up.
struct FlowBenchmark {
  /// A stage and its times in milliseconds.
  struct Stage {
    let name: String
    var times: [Double] = []
  }

  let source: any CaptureSource
  /// Position in `source.frames`.
  let index: Int
  let detector: DetectionNetwork
  let depth: DepthNetwork?

  /// Stages in running order, and the whole last; `progress` is told the runs done.
  ///
  /// - Throws: what reading the frame and the networks throw.
  func measure(runs: Int, warmUp: Int, progress: (Int) -> Void = { _ in }) throws -> [Stage] {
    var stages: [Stage] = []
    for run in -warmUp..<runs {
      let times = try once()
      guard run >= 0 else { continue }
      if stages.isEmpty { stages = times.map { Stage(name: $0.name) } }
      for (stage, time) in times.enumerated() { stages[stage].times.append(time.milliseconds) }
      progress(run + 1)
    }
    return stages
  }

  private func once() throws -> [(name: String, milliseconds: Double)] {
    let clock = ContinuousClock()
    var times: [(name: String, milliseconds: Double)] = []
    func add(_ name: String, _ time: Duration) {
      times.append((name, Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3))
    }
    var mark = clock.now
    /// The time since the last mark.
    func lap() -> Duration {
      let now = clock.now
      defer { mark = now }
      return now - mark
    }
    let begin = mark
    let frame = try source.frame(at: index)
    add("decode frame", lap())
    guard let image = frame.image else { throw CommandError.input("\(frame.name): the frame has no picture") }
    let upright = image.oriented(frame.orientation)
    add("turn upright", lap())
    let found = try detector.detect(upright, orientation: frame.orientation, stored: frame.imageSize)
    let detecting = lap()
    add("letterbox", found.timings.preprocess)
    add("detector", found.timings.inference)
    add("decode, NMS", found.selection)
    add("masks", detecting - found.timings.preprocess - found.timings.inference - found.selection)
    var metric: MetricDepth?
    let estimate = try depth?.estimate(upright, orientation: frame.orientation, sensor: frame.depth)
    if let estimate {
      let estimating = lap()
      add("resize for depth", estimate.timings.preprocess)
      add("depth", estimate.timings.inference)
      add("resize depth", estimating - estimate.timings.preprocess - estimate.timings.inference)
      let known = FrameDepth(estimate.depth, frame: frame)
      metric = known.metric
      if known.fusion != nil { add("fuse", lap()) }
    }
    let scene = PlacedScene(frame: frame, detections: found.detections, metric: metric, requests: [])
    add("extents", lap())
    _ = ResultsCompositor().compose(frame, items: scene.items(found.detections))
    add("compose", lap())
    add("whole flow", clock.now - begin)
    return times
  }
}
