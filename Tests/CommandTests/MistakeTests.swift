import Archives
import FileFormats
import Foundation
import TestSupport
import Testing

/// The likeliest mistakes of each command, ten and more: what is said names the word that was wrong, and what to do.
///
/// Nothing is printed as a result, written or lost. A line of a table is an exit code and what was typed, then, each after `|`, what the message must hold.
@Suite struct MistakeTests {
  /// A line of a table.
  private struct Mistake: CustomStringConvertible {
    let status: Int32
    let words: [String]
    let hints: [String]

    init?(_ line: Substring) {
      let parts = line.split(separator: " | ").map(String.init)
      let words = parts[0].split(separator: " ").map(String.init)
      guard words.count > 1, let status = Int32(words[0]) else { return nil }
      self.status = status
      self.words = words.dropFirst().flatMap { word in MistakeTests.short[word] ?? [word] }
      hints = Array(parts.dropFirst())
    }

    var description: String { words.joined(separator: " ") }
  }

  /// Words of the tables that stand for others.
  private static let short = [
    "DET": ["--yolo", "det.safetensors", "--imgsz", "64"], "FOUND": ["results/detections.json"],
    "RELATIVE": ["results/relative.npy"],
  ]

  private static func mistakes(of table: String) throws -> [Mistake] {
    try table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      try #require(Mistake(line), "\(line)")
    }
  }

  /// `det`, `depth` and `cls` are weights, `.ref` references, `p.png` a picture, `pics` a folder of two, `cap` a
  /// capture with `results`, `taken` a folder that is not ours, `empty` and `images` are empty.
  private static func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    let goldens = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"
    for (name, file) in [
      ("det.safetensors", "yolo11-tiny-n.safetensors"), ("depth.safetensors", "depth-tiny.safetensors"),
      ("cls.safetensors", "yolo11-cls-least.safetensors"), ("m.onnx", "yolo11-cls-least.onnx"),
      ("det.ref.safetensors", "yolo11-tiny-n.ref.safetensors"),
      ("depth.ref.safetensors", "depth-tiny.ref.safetensors"),
    ] {
      try FileManager.default.copyItem(atPath: "\(goldens)/\(file)", toPath: place.file(name))
    }
    for name in ["p.png", "pics/a.png", "pics/b.png"] {
      try place.write(SyntheticCapture.encoded(), to: name)
    }
    try place.write("text", to: "notes.txt")
    try place.write("path: labeled", to: "coco.yaml")
    try place.write("no picture", to: "bad.png")
    try place.write("mine", to: "taken/mine")
    for name in ["empty", "images"] {
      try FileManager.default.createDirectory(atPath: place.file(name), withIntermediateDirectories: true)
    }
    try SyntheticCapture.write(to: place.file("cap"))
    try place.write(
      ZipWriter.archive([("cap/notes.txt", Array("a capture".utf8))]), to: "cap.zip")
    let run = try CommandRun(
      ["run", "cap", "--out", "results", "--quiet"] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions,
      in: place.path)
    try #require(run.status == 0, "\(run.error)")
    return place
  }

  private static func check(_ table: String) throws {
    let place = try place()
    let files = try digests(of: place.path)
    for mistake in try mistakes(of: table) {
      let isNamed = mistake.words.contains { ["--listen", "--port"].contains($0) }
      let words =
        mistake.words.first == "serve" && !isNamed ? CommandRun.onAnyPort(mistake.words) : mistake.words
      let run = try CommandRun(words, in: place.path, environment: ["HOME": place.path])
      #expect(run.status == mistake.status, "\(mistake): \(run.error)")
      for hint in mistake.hints { #expect(run.error.contains(hint), "\(mistake): \(run.error)") }
      #expect(run.output.isEmpty, "\(mistake): \(run.output)")
      let isLaidOut = run.error.split(separator: "\n").contains {
        $0.hasPrefix("ardf: ") || $0.hasPrefix("Error: ")
      }
      #expect(isLaidOut && !run.error.contains("CommandError("), "\(mistake): \(run.error)")
    }
    #expect(try digests(of: place.path) == files, "a mistake leaves nothing, and takes nothing away")
    for name in ["o", "o.html", "o.safetensors"] {
      #expect(!fileExists(place.file(name)), "a mistake leaves nothing")
    }
  }

  @Test func ofMeasuringCommands() throws { try Self.check(Self.ofMeasuring) }
  @Test func ofCaptureCommands() throws { try Self.check(Self.ofCaptures) }
  @Test func ofNetworkCommands() throws { try Self.check(Self.ofNetworks) }
  @Test func ofToolCommands() throws { try Self.check(Self.ofTools) }

  @Test func everyCommandHasTen() throws {
    let tables = [Self.ofMeasuring, Self.ofCaptures, Self.ofNetworks, Self.ofTools]
    let lines = try tables.flatMap { try Self.mistakes(of: $0) }.map(\.words)
    /// Checks a command, or those of its own, and returns how many.
    func check(_ command: JSONValue, _ path: [String]) throws -> Int {
      let name = try #require(command["commandName"]?.string)
      guard name != "help", command["shouldDisplay"] != .bool(false) else { return 0 }
      let own = (command["subcommands"]?.array ?? []).filter { $0["commandName"]?.string != "help" }
      let path = path + [name]
      if own.isEmpty { #expect(lines.count { $0.starts(with: path) } >= 10, "\(path)") }
      return own.isEmpty ? 1 : try own.reduce(0) { try $0 + check($1, path) }
    }
    let dump = try CommandRun(["--experimental-dump-help"]).json()
    let commands = try #require(dump["command"]?["subcommands"]?.array)
    #expect(try commands.reduce(0) { try $0 + check($1, []) } > 30)
  }
}
