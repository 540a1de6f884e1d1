import FileFormats
import Foundation
import TestSupport
import Testing

/// Limits that options lower and raise; the errors name the option.
@Suite struct LimitTests {
  private static let detect = ["detect", "--out", "out"] + TinyNetwork.detectorOptions

  private func refused(
    _ arguments: [String], in place: TemporaryDirectory, status: Int32 = 65, _ message: String
  ) throws {
    let run = try CommandRun(arguments, in: place.path)
    #expect(run.status == status, "\(arguments): \(run.error)")
    #expect(
      message.split(separator: " | ").allSatisfy { run.error.contains($0) }, "\(arguments): \(run.error)")
    #expect(try !place.entries().contains("out"))
  }

  @Test func picturesHaveALimitOfPixels() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    try FileManager.default.copyItem(
      atPath: place.file("capture/image.png"), toPath: place.file("photo.png"))
    for source in ["capture", "photo.png"] {
      try refused(
        Self.detect + [source, "--max-pixels", "12287"], in: place,
        "128x96 pixels | 12287 | --max-pixels")
    }
    let run = try CommandRun(Self.detect + ["photo.png", "--max-pixels", "12K"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
  }

  @Test func capturesHaveALimitOfFrames() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: place.file("sequence"))
    try refused(
      Self.detect + ["sequence", "--max-frames", "2"], in: place,
      "sequence: more than 2 frames | --max-frames")
    let check = try CommandRun(["capture", "check", "sequence", "--max-frames", "3"], in: place.path)
    #expect(check.error.isEmpty == (check.status == 0) && !check.error.contains("frames"), "\(check.error)")
  }

  @Test func filesHaveALimitOfBytes() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let bytes = try FileManager.default.attributesOfItem(atPath: place.file("capture/image.png"))[.size]
    try refused(
      Self.detect + ["capture", "--max-file", "1K"], in: place,
      "image.png: \(try #require(bytes as? Int)) bytes | 1024 | --max-file")
  }

  @Test func documentsHaveALimitOfBytes() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let detections =
      #"{"schema": "ardf.detections/1", "detections": []}"# + String(repeating: " ", count: 2000)
    try place.write(Array(detections.utf8), to: "d.json")
    let arguments = ["place", "--detections", "d.json", "--capture", "capture", "--out", "out"]
    try refused(
      arguments + ["--max-json", "2000"], in: place,
      "d.json | 2049 bytes | 2000 | --max-json"
    )
  }

  @Test(arguments: ["0", "-1", "x", "5T", "", "9999999999999", "1.5M"])
  func limitsAreNumbers(_ text: String) throws {
    let place = try TemporaryDirectory()
    try refused(Self.detect + ["capture", "--max-pixels=\(text)"], in: place, status: 64, "--max-pixels")
  }
}
