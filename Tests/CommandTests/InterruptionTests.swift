import FileFormats
import Foundation
import OutputFolders
import TestSupport
import Testing

/// Signals leave whole results or none.
@Suite(.serialized) struct InterruptionTests {
  /// A run that was done before the signal came is tried again with twice as much to do.
  @Test(arguments: [SIGINT, SIGTERM])
  func signalLeavesNothing(signal: Int32) throws {
    var count = 200
    while true {
      let place = try TemporaryDirectory()
      count *= 2
      try SyntheticCapture.writeSequence(of: count, to: place.file("sequence"))
      let running = try RunningCommand(
        ["run", "sequence", "--out", "out"] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions,
        in: place.path)
      try running.until("the first frames are there") { frames(in: place).count >= 3 }
      kill(running.process.processIdentifier, signal)
      let run = try running.finished()
      if run.status == 0 { continue }
      #expect(run.status == 128 + signal, "\(run.error)")
      let complete = frames(in: place)
      #expect((3..<count).contains(complete.count), "the command should have been at work")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: place.file("out")).sorted()
          == [OutputRecord.fileName] + complete.sorted(),
        "a frame is complete or absent")
      return
    }
  }

  /// The frames that are complete.
  private func frames(in place: borrowing TemporaryDirectory) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: place.file("out"))) ?? []).filter {
      !$0.hasSuffix(".partial")
        && FileManager.default.fileExists(atPath: place.file("out/\($0)/summary.json"))
    }
  }
}
