import FileFormats
import Foundation
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
    // Until the first frames are written under the temporary name.
    let deadline = Date(timeIntervalSinceNow: 60)
    while try !place.entries().contains(where: { $0.hasSuffix(".partial") }), Date() < deadline {
      usleep(5_000)
    }
    usleep(200_000)
    #expect(try place.entries().count == 2, "the command should be at work")
    kill(running.process.processIdentifier, signal)
    let run = try running.finished()
    #expect(run.status == 128 + signal, "\(run.error)")
    #expect(try place.entries() == ["sequence"])
  }
}
