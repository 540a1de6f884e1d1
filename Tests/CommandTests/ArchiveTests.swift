import Archives
import FileFormats
import Foundation
import TestSupport
import Testing

/// Every command takes a capture as a `.zip`, and leaves nothing of it unpacked.
@Suite struct ArchiveTests {
  /// A folder with `scan`, the same in `scan.zip`, and a folder for temporary files that starts empty.
  private struct Place {
    let folder: TemporaryDirectory

    init(frames: Int = 2) throws {
      folder = try TemporaryDirectory()
      try SyntheticCapture.writeSequence(of: frames, to: folder.file("scan"))
      try folder.write(ZipWriter.archive(members(of: "scan")), to: "scan.zip")
      try FileManager.default.createDirectory(
        atPath: folder.file("scratch"), withIntermediateDirectories: true)
    }

    /// The files of a folder as an archive of it has them.
    func members(of name: String) throws -> [(name: String, bytes: [UInt8])] {
      try FileManager.default.subpathsOfDirectory(atPath: folder.file(name)).sorted().compactMap { path in
        guard let bytes = try? folder.read("\(name)/\(path)") else { return nil }
        return ("\(name)/\(path)", bytes)
      }
    }

    func run(_ words: [String]) throws -> CommandRun {
      try CommandRun(words, in: folder.path, environment: environment)
    }

    var environment: [String: String] { ["TMPDIR": folder.file("scratch"), "HOME": folder.path] }
    var leftovers: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: folder.file("scratch")) }
    }
  }

  private static let networks = TinyNetwork.detectorOptions + TinyNetwork.depthOptions

  /// The words of a command on `SOURCE`, and the folder that it writes if it does.
  private static let commands: [[String]] = [
    ["run", "SOURCE", "--out", "OUT"] + networks,
    ["run", "SOURCE", "--keep", "records", "--out", "OUT"] + networks,
    ["detect", "SOURCE", "--out", "OUT"] + TinyNetwork.detectorOptions,
    ["depth", "SOURCE", "--out", "OUT"] + TinyNetwork.depthOptions,
    ["capture", "convert", "SOURCE", "--out", "OUT"],
    ["replay", "SOURCE", "--max-speed", "--frames", "png", "--out", "OUT"] + networks,
  ]

  @Test(arguments: commands)
  func resultsAreThoseOfTheFolder(words: [String]) throws {
    let place = try Place()
    var results: [[String: String]] = []
    for source in ["scan", "scan.zip"] {
      let run = try place.run(
        words.map { $0 == "SOURCE" ? source : $0 == "OUT" ? "out-\(results.count)" : $0 })
      #expect(run.status == 0, "\(source): \(run.error)")
      // What names the source differs by it.
      results.append(
        try digests(of: place.folder.file("out-\(results.count)")).filter {
          !["json", "jsonl", "html", "log"].contains(($0.key as NSString).pathExtension)
            && !$0.key.hasPrefix("part-")
        })
    }
    #expect(results[0] == results[1])
    #expect(try place.leftovers.isEmpty)
  }

  @Test func printedResultsDifferByTheSourceAlone() throws {
    let place = try Place()
    for words in [["run"] + Self.networks, ["detect"] + TinyNetwork.detectorOptions] {
      let folder = try place.run(words + ["scan", "--out", "-"])
      let archive = try place.run(words + ["scan.zip", "--out", "-"])
      #expect(archive.status == 0 && !folder.output.isEmpty, "\(archive.error)")
      func sourceless(_ run: CommandRun) throws -> [JSONValue] {
        try run.lines().map { line in
          var fields = line.object ?? [:]
          fields["source"] = nil
          if var summary = fields["summary"]?.object {
            summary["digest"] = nil
            fields["summary"] = .object(summary)
          }
          return .object(fields)
        }
      }
      #expect(try sourceless(archive) == sourceless(folder))
      #expect(try archive.lines().allSatisfy { $0["source"]?.string?.hasPrefix("scan.zip") == true })
    }
    for words in [
      ["capture", "check", "SOURCE", "--json"],
      ["bench", TinyNetwork.detector, "--flow", "SOURCE", "--depth", TinyNetwork.depth, "-n", "1"],
      ["evaluate", "SOURCE", "--weights", TinyNetwork.depth, "--depth-size", "42"],
    ] {
      let run = try place.run(words.map { $0 == "SOURCE" ? "scan.zip" : $0 })
      let folder = try place.run(words.map { $0 == "SOURCE" ? "scan" : $0 })
      #expect(run.status == folder.status && run.status < 2, "\(words[0]): \(run.error)")
    }
    #expect(try place.leftovers.isEmpty)
  }

  /// Several archives in a folder, with others that are no captures.
  @Test func archivesInAFolderAreSources() throws {
    let place = try Place()
    let scan = try place.members(of: "scan")
    try place.folder.write(ZipWriter.archive(scan), to: "scans/a.zip")
    try place.folder.write(ZipWriter.archive(scan), to: "scans/b.zip")
    try place.folder.write(ZipWriter.archive([("letter.odt", [1])]), to: "scans/letter.zip")
    let run = try place.run(["detect", "scans", "--out", "-"] + TinyNetwork.detectorOptions)
    #expect(run.status == 0 && run.error.contains("letter.zip"), "\(run.error)")
    #expect(try run.lines().count == 4)
  }

  @Test(
    arguments: [
      ("empty", [], "neither a known capture nor pictures"),
      ("letter", [("letter.odt", [1])], "neither a known capture nor pictures"),
      ("nested", [("inner.zip", [1]), ("a.json", [1])], "neither a known capture nor pictures"),
      ("out", [("../a.png", [1])], "leads out of it"),
      ("rooted", [("/etc/a.png", [1])], "leads out of it"),
      ("deep", [("a/b/c/d/e/f/g/h.png", [1])], "deeper than 6 folders"),
      ("twice", [("p/a.png", [1]), ("p//a.png", [1])], "names \"p/a.png\" twice"),
      ("both", [("p", [1]), ("p/a.png", [1])], "names \"p\" twice"),
      ("folders", [("x/a.png", [1]), ("y/a.png", [1])], "unpack it"),
    ] as [(String, [(String, [UInt8])], String)])
  func archivesThatAreNoCaptureSayWhy(
    name: String, members: [(String, [UInt8])], reason: String
  ) throws {
    let place = try Place(frames: 1)
    try place.folder.write(
      ZipWriter.archive(members.map { (name: $0.0, bytes: $0.1) }), to: "\(name).zip")
    for words in [["capture", "check"], ["run", "--out", "out"] + Self.networks] {
      let run = try place.run(words + ["\(name).zip"])
      #expect(run.status == 65 && run.error.contains("\(name).zip: "), "\(run.error)")
      #expect(run.error.contains(reason) && !run.error.contains("sound file"), "\(run.error)")
      #expect(!run.error.contains("scratch"), "\(run.error)")
    }
    #expect(try place.leftovers.isEmpty)
  }

  /// A damaged frame is named as in the archive, wherever it lies meanwhile.
  @Test func defectsAreNamedAsInTheArchive() throws {
    let place = try Place()
    var members = try place.members(of: "scan")
    let picture = try #require(members.firstIndex { $0.name == "scan/f1001/image.png" })
    members[picture].bytes = Array("no picture".utf8)
    try place.folder.write(ZipWriter.archive(members), to: "bad.zip")
    let run = try place.run(["run", "bad.zip", "--out", "-"] + Self.networks)
    #expect(run.status == 65 && run.error.contains("image.png"), "\(run.error)")
    #expect(!(run.error + run.output).contains("scratch"), "\(run.error)")
    // Several captures are no sequence.
    let two = place.folder
    try two.write(
      ZipWriter.archive(
        members.map { (name: "a/" + $0.name, bytes: $0.bytes) }
          + members.map { (name: "b/" + $0.name, bytes: $0.bytes) }), to: "two.zip")
    let several = try place.run(["run", "two.zip", "--out", "-"] + Self.networks)
    #expect(
      several.status == 65 && several.error.contains("unpack it"),
      "\(several.error)")
    #expect(try place.leftovers.isEmpty)
  }

  @Test func limitsAreThoseOfTheCommand() throws {
    let place = try Place(frames: 1)
    let run = try place.run(["capture", "check", "scan.zip", "--max-file", "64"])
    #expect(run.status == 65 && run.error.contains("more than a file may have"), "\(run.error)")
    let frames = try place.run(["capture", "check", "scan.zip", "--max-pixels", "100"])
    #expect(frames.status == 65 && frames.error.contains("--max-pixels"), "\(frames.error)")
    let zeros = [UInt8](repeating: 0, count: 129 << 20)
    let packed = PackedArchive.bytes(of: (0..<8).map { ("\($0).png", zeros) })
    try place.folder.write(packed, to: "bomb.zip")
    let bomb = try place.run(["capture", "check", "bomb.zip"])
    #expect(bomb.status == 65 && bomb.error.contains("more than 1024 MiB"), "\(bomb.error)")
    #expect(try place.leftovers.isEmpty)
  }

  /// A folder that cannot be written to is the system's fault, and named.
  @Test func noRoomForItsFilesIsSaid() throws {
    let place = try Place(frames: 1)
    let run = try CommandRun(
      ["capture", "check", "scan.zip"], in: place.folder.path, environment: ["TMPDIR": "/nowhere"])
    #expect(run.status != 0 && run.error.contains("TMPDIR") && run.error.contains("scan.zip"), "\(run.error)")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalLeavesNothingUnpacked(signal: Int32) throws {
    let place = try Place(frames: 200)
    let running = try RunningCommand(
      ["run", "scan.zip", "--threads", "1", "--out", "out"] + Self.networks, in: place.folder.path,
      environment: place.environment)
    try running.until("it is unpacked and frames are done") {
      let isUnpacked = try !place.leftovers.isEmpty
      return isUnpacked && FileManager.default.fileExists(atPath: place.folder.file("out/00001"))
    }
    kill(running.process.processIdentifier, signal)
    let run = try running.finished()
    #expect(run.status == 128 + signal, "\(run.error)")
    #expect(try place.leftovers.isEmpty)
  }

  /// The folder left by a killed process is removed by the next one that unpacks.
  @Test func aKilledProcessIsCleanedUpAfter() throws {
    let place = try Place(frames: 200)
    let running = try RunningCommand(
      ["run", "scan.zip", "--threads", "1", "--out", "out"] + Self.networks, in: place.folder.path,
      environment: place.environment)
    try running.until("it is unpacked") { try !place.leftovers.isEmpty }
    kill(running.process.processIdentifier, SIGKILL)
    _ = try running.finished()
    #expect(try !place.leftovers.isEmpty)
    let next = try place.run(["capture", "check", "scan.zip", "-q"])
    #expect(next.status < 2, "\(next.error)")
    #expect(try place.leftovers.isEmpty)
  }
}
