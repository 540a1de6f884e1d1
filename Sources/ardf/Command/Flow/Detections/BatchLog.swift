import FileFormats
import Geometry
import Models
import Perception

/// The progress of many frames, and their counts at the end.
struct BatchLog {
  private(set) var failed = 0
  private var kept = 0
  private var done = 0
  private var speed = SpeedLog()
  private var progress: Progress
  private let start = ContinuousClock.now

  /// - `total`: nil where the number is not known.
  init(total: Int?) {
    progress = Progress("frame", of: total)
  }

  /// Clears the progress line, so that others can be written.
  mutating func hide() { progress.finish() }

  mutating func add(_ record: FrameRecord, of perceiver: Perceiver) {
    switch record.outcome {
    case .done, .unchanged: done += 1
    case .kept: kept += 1
    case .failed: failed += 1
    }
    speed.add(record, of: perceiver)
    progress.update(done + kept + failed)
  }

  /// Adds a frame of which an earlier run kept a record.
  mutating func addKept() {
    kept += 1
    progress.update(done + kept + failed)
  }

  /// The lines that close a run.
  var lines: [String] {
    let (whole, parts) = (ContinuousClock.now - start).components
    let seconds = Double(whole) + Double(parts) / 1e18
    var line = "\(counted(done, "frame")) in \(decimal(seconds, 1)) s"
    if done > 0 { line += ", \(decimal(Double(done) / max(seconds, 1e-3), 2)) frames/s" }
    if kept > 0 { line += "; \(kept) finished before" }
    if failed > 0 { line += "; \(failed) failed" }
    return [line] + speed.lines
  }
}

extension SpeedLog {
  /// Adds the times of a frame that was done.
  mutating func add(_ record: FrameRecord, of perceiver: Perceiver) {
    let times: FrameTimes
    switch record.outcome {
    case .done(_, _, let taken), .unchanged(let taken): times = taken
    case .kept, .failed: return
    }
    let flow = times.flow
    add(flow.detector, network: "\(perceiver.detector.network.name), \(perceiver.detector.network.inputText)")
    if let depth = perceiver.depth, let (input, stages) = flow.depth {
      add(stages, network: "\(depth.name), \(input.width)x\(input.height)")
    }
    add(times.decoding, stage: "decoding")
    if let fusion = flow.fusion { add(fusion, stage: "fusion") }
    add(flow.placement, stage: "placement")
    add(times.writing, stage: "drawing and writing")
  }
}
