import AppCore
import FileFormats
import Models
import OutputFolders
import Perception
import Reporting

/// The times of the stages of the whole flow on one frame, run one after another.
///
/// `ardf run` overlaps the two networks; here each stage runs alone, so that the times add up. Drawing and writing all files
/// comes after the whole, with the results picture again, which is one of them.
struct FlowBenchmark {
  /// A stage and its times in milliseconds.
  struct Stage {
    let name: String
    var times: [Double] = []
  }

  let source: any CaptureSource
  /// Position in `source.frames`.
  let index: Int
  let perceiver: Perceiver

  /// Stages in running order, the whole, drawing and writing, and each object measured by itself; `progress` gets the number of runs done.
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
    let perceived = try perceiver.perceiveInTurn(frame) { timing in
      switch timing {
      case .upright(let time): add("turn upright", time)
      case .detection(let stages, let selection, let whole):
        add("letterbox", stages.preprocess)
        add("detector", stages.inference)
        add("decode, NMS", selection)
        add("masks", whole - stages.preprocess - stages.inference - selection)
      case .depth(let stages, _, let whole):
        add("resize for depth", stages.preprocess)
        add("depth", stages.inference)
        add("resize depth", whole - stages.preprocess - stages.inference)
      case .fusion(let time): add("fuse", time)
      case .measuring(let time): add("extents", time)
      }
    }
    _ = lap()
    let items = zip(perceived.detections, perceived.extents).map(ResultsItem.init)
    _ = Parallel.team(of: perceiver.measuringThreads) { ResultsCompositor().compose(frame, items: items) }
    add("compose", lap())
    add("whole flow", clock.now - begin)
    let scratch = try AtomicDirectory.scratch("bench")
    _ = lap()
    try write(perceived, of: frame, into: scratch)
    add("draw and write", lap())
    scratch.discard()
    let estimator = ExtentEstimator(
      scene: DepthScene(frame: frame, fused: perceived.depth.metric, estimated: perceived.depth.estimated))
    _ = lap()
    for detection in perceived.detections {
      _ = estimator.extents(of: [detection], threads: perceiver.measuringThreads)
      add("extent \(detection.id)", lap())
    }
    return times
  }

  /// Draws and writes the files of `ardf run`.
  private func write(_ perceived: Perceived, of frame: CapturedFrame, into scratch: AtomicDirectory) throws {
    let outcome = FrameOutcome(
      perceived, of: frame, perceiver, requests: [], times: PerceptionTimes())
    let folder = try OutputFolder("\(scratch.temporaryPath)/frame", force: false, inputs: [])
    let report = FrameReport(outcome, perceiver: perceiver, capture: source.path, path: [])
    try FrameWriter(folder: folder).write(
      outcome, report: report, document: nil, threads: perceiver.measuringThreads)
    try folder.commit()
  }
}
