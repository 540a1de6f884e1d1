import FileFormats
import TestSupport
import Testing

/// A frame that is bad when its capture is opened, in every command that reads captures.
@Suite struct BadFrameTests {
  /// Three frames, `f1000` to `f1002`, of which the second is spoiled.
  private static func clip(_ spoil: (TemporaryDirectory) throws -> Void) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: place.file("clip"))
    try spoil(place)
    return place
  }

  private static let commands: [[String]] = [
    ["run"] + TinyNetwork.detectorOptions + ["--out", "out", "-q"], ["capture", "check", "-q"],
    ["capture", "convert", "--out", "out", "-q"],
    ["replay"] + TinyNetwork.detectorOptions + ["--max-speed", "--out", "out", "-q"],
  ]

  @Test(arguments: commands)
  func theOthersAreDoneAndItIsNamed(command: [String]) throws {
    let place = try Self.clip { try $0.write("{", to: "clip/f1001/frame.json") }
    let run = try CommandRun(
      command.first == "capture"
        ? Array(command[..<2]) + ["clip"] + command[2...] : [command[0], "clip"] + command[1...],
      in: place.path)
    #expect(run.status == 65, "\(run.error)")
    #expect(run.error.contains("f1001"), "\(run.error)")
  }

  @Test(arguments: ["1e-30", "0", "-0.001", "1.5", "nan"])
  func unitsOfDepthAreBounded(unit: String) throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(
      [
        "capture", "check", "p.png", "--depth-map", "d.png", "--intrinsics", "40,40,31,23",
        "--depth-unit=\(unit)",
      ],
      in: place.path)
    #expect(run.status == 64 && run.error.contains("0.000001 to 1"), "\(run.error)")
  }

  @Test func itHasALineOfItsOwn() throws {
    let place = try Self.clip { try $0.write("{", to: "clip/f1001/frame.json") }
    let run = try CommandRun(
      ["run", "clip", "--out", "-"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 65, "\(run.error)")
    let lines = try run.lines().filter { $0["name"] != nil }
    #expect(lines.map { $0["error"] != nil } == [false, true, false], "\(lines)")
  }
}
