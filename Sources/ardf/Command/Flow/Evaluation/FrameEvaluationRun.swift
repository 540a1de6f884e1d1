import AppCore
import Evaluation
import Sharding

/// An evaluation of captures' frames against ground truth, one after the other.
protocol FrameEvaluationRun {
  associatedtype Report: FrameEvaluationReport
  var inputs: RunInputs { get }
  /// Compares all frames; those that cannot be read or compared are reported and left out.
  func run() throws -> Report
}

/// Figures of frames of captures.
protocol FrameEvaluationReport: EvaluationReport {
  var unreadable: LeftOutInputs { get }
}

extension FrameEvaluationRun {
  /// Reads and evaluates every frame.
  ///
  /// One that cannot be read is left out where there are others.
  ///
  /// - Returns: the frames that were left out; never all of them.
  func forEachFrame<Read>(
    read: (RunFrame) throws -> Read, _ work: (RunFrame, Read) throws -> Void
  ) throws -> LeftOutInputs {
    var unreadable = LeftOutInputs(unit: "frames", isGrouped: true)
    var progress = Progress("frame", of: inputs.frames.count)
    for (done, frame) in inputs.frames.enumerated() {
      defer { progress.update(done + 1) }
      var found: Read?
      if inputs.frames.count == 1 {
        found = try read(frame)
      } else {
        try unreadable.attempt(frame) { found = try read(frame) }
      }
      if let found { try work(frame, found) }
    }
    progress.finish()
    try unreadable.checkAnyLeft(of: inputs.frames.count)
    unreadable.tellGroups()
    return unreadable
  }
}

/// Frames that were read and have nothing to compare.
struct IncomparableFrames {
  private(set) var reasons: [(name: String, reason: String)] = []

  /// Leaves a frame out.
  mutating func add(_ name: String, _ reason: IncomparableFrame) { reasons.append((name, "\(reason)")) }

  /// Reports the frames that were left out, one line per reason.
  ///
  /// - Throws: `CommandError.input` where no frame gave a row, with the same lines.
  func check(hasRows: Bool) throws {
    let lines = LeftOutInputs.groups(reasons, unit: "frame")
    guard hasRows else {
      throw CommandError.input(
        "no frame is left to evaluate: " + (lines.isEmpty ? "there is none" : lines.joined(separator: "; ")))
    }
    for line in lines { Console.note("left out: \(line)") }
  }
}
