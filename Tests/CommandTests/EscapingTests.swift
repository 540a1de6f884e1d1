import FileFormats
import Foundation
import NNRuntime
import TestSupport
import Testing

/// Names and texts from files reach no terminal with their control characters, and forge no lines.
@Suite struct EscapingTests {
  private static let hostile = "\u{1B}[31mred\u{9B}2J\u{202E}"
  private static let escaped = #"\u{1b}[31mred\u{9b}2J\u{202e}"#

  private func isPlain(_ run: CommandRun) -> Bool {
    (run.output + run.error).unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || ![.control, .format, .lineSeparator].contains(scalar.properties.generalCategory)
    }
  }

  /// The tiny detector whose classes have that name.
  private func detector(named name: String, at path: String) throws {
    let store = try WeightStore(path: TinyNetwork.detector)
    var metadata = store.metadata
    metadata["names"] = JSONValue.array([JSONValue](repeating: .string(name), count: 4)).serialized()
    metadata["note"] = "\(name)\nsecond line"
    let tensors = try Dictionary(uniqueKeysWithValues: store.names.map { ($0, try store.tensor(named: $0)) })
    try SafetensorsWriter.write(tensors, metadata: metadata, to: path, overwrite: false)
  }

  @Test func classNamesAndMetadataOfWeights() throws {
    let place = try TemporaryDirectory()
    try detector(named: Self.hostile + "\n", at: place.file("w.safetensors"))
    let listing = try CommandRun(["inspect", "weights", "w.safetensors"], in: place.path)
    #expect(listing.status == 0 && isPlain(listing), "\(listing.error)")
    #expect(listing.output.contains("note: \(Self.escaped)" + #"\u{a}\u{a}second line"#))
    try SyntheticCapture.write(to: place.file("scan"))
    let found = TinyNetwork.detectorOptions.dropFirst(2)
    for command in ["run", "detect"] {
      let run = try CommandRun(
        [command, "scan", "--yolo", "w.safetensors"] + found + ["--out", command], in: place.path)
      #expect(run.status == 0 && isPlain(run), "\(run.error)")
      #expect(run.output.contains(Self.escaped + #"\u{a}"#), "\(run.output)")
    }
    let json = try CommandRun(
      ["detect", "scan", "--yolo", "w.safetensors"] + found + ["--json", "--out", "json"], in: place.path)
    #expect(json.status == 0 && isPlain(json))
  }

  @Test func namesOfFrames() throws {
    let place = try TemporaryDirectory()
    let name = Self.hostile + "\nardf: forged"
    for frame in ["a", name] { try SyntheticCapture.write(to: place.file("scan/\(frame)")) }
    let commands: [[String]] = [
      ["capture", "check", "scan"], ["detect", "scan"] + TinyNetwork.detectorOptions + ["--out", "found"],
      ["run", "scan"] + TinyNetwork.detectorOptions + ["--out", "results"],
      ["capture", "check", "scan/\(name)/missing"], ["--\(Self.hostile)"], ["run", "--frame"],
      ["inspect", "weights", "\(Self.hostile)\nardf: forged"],
    ]
    for arguments in commands {
      let run = try CommandRun(arguments, in: place.path)
      #expect(isPlain(run), "\(arguments): \(run.output)\(run.error)")
      let lines = (run.output + "\n" + run.error).split(separator: "\n")
      #expect(!lines.contains("ardf: forged"), "\(arguments)")
    }
  }
}
