import FileFormats
import Foundation
import OutputFolders
import TestSupport
import Testing

/// Signals leave whole results or none.
@Suite(.serialized) struct InterruptionTests {
  @Test(arguments: [SIGINT, SIGTERM])
  func signalLeavesNothing(signal: Int32) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 400, to: place.file("sequence"))
    let running = try RunningCommand(
      ["run", "sequence", "--out", "out"] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions,
      in: place.path)
    // Until the first frames are complete.
    let deadline = Date(timeIntervalSinceNow: 60)
    while frames(in: place).count < 3, Date() < deadline { usleep(5_000) }
    kill(running.process.processIdentifier, signal)
    let run = try running.finished()
    #expect(run.status == 128 + signal, "\(run.error)")
    let frames = frames(in: place)
    #expect((3..<400).contains(frames.count), "the command should have been at work")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.file("out")).sorted()
        == [OutputRecord.fileName] + frames.sorted(),
      "a frame is complete or absent")
  }

  /// The frames that are complete.
  private func frames(in place: borrowing TemporaryDirectory) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: place.file("out"))) ?? []).filter {
      !$0.hasSuffix(".partial")
        && FileManager.default.fileExists(atPath: place.file("out/\($0)/summary.json"))
    }
  }
}
