import Foundation
import TestSupport
import Testing

/// The hidden command that `tools/soak` runs for ten thousand frames.
@Suite struct SoakTests {
  @Test func aShortLifeLeaksNothing() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try CommandRun(
      ["soak", "capture/image.png", "--frames", "60", "--threads", "2"] + TinyNetwork.detectorOptions,
      in: place.path)
    #expect(run.status == 0, "\(run.error)\(run.output)")
    for part in ["engine", "live loop", "load and unload", "cancellation"] {
      #expect(run.output.contains(part))
    }
    #expect(run.output.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix("equal") })
  }
}
