import Foundation
import TestSupport
import Testing

/// The hidden command that `tools/prove/soak` runs for ten thousand frames.
@Suite struct SoakTests {
  /// AddressSanitizer keeps freed memory, up to 256 MiB, to see whether it is used; it would pass for growth.
  private static let returnsFreedMemory = [
    "ASAN_OPTIONS": "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
  ]

  @Test func aShortLifeLeaksNothing() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try CommandRun(
      ["soak", "capture/image.png", "--frames", "60", "--threads", "2"] + TinyNetwork.detectorOptions,
      in: place.path, environment: Self.returnsFreedMemory)
    #expect(run.status == 0, "\(run.error)\(run.output)")
    for part in ["engine", "live loop", "load and unload", "cancellation"] {
      #expect(run.output.contains(part))
    }
    #expect(run.output.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix("equal") })
  }
}
