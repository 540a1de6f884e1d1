import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// No command destroys what it reads, what others wrote, or an old result before the new one is whole.
@Suite struct OutputSafetyTests {
  private static let networks = TinyNetwork.detectorOptions + TinyNetwork.depthOptions

  private func run(_ arguments: [String], in place: borrowing TemporaryDirectory) throws -> CommandRun {
    try CommandRun(arguments, in: place.path)
  }

  /// A folder `scans` with two captures, beside a file of the user's.
  private func scans() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scans"))
    try place.write("precious", to: "thesis.txt")
    return place
  }

  @Test(arguments: [
    ("scans", "is the input"), (".", "holds the input"), ("scans/out", "lies in the input"),
    ("scans/f1000", "lies in the input"), ("link", "is the input"), ("scans/../scans", "is the input"),
  ])
  func outputsThatTouchTheInputAreRefused(out: String, why: String) throws {
    let place = try scans()
    try FileManager.default.createSymbolicLink(
      atPath: place.file("link"), withDestinationPath: place.file("scans"))
    let before = try digests(of: place.path)
    for command in [["run", "scans"], ["detect", "scans/f1000"], ["replay", "scans"]] {
      let out = command[0] == "detect" && out.hasPrefix("scans/f") ? "scans/f1000/out" : out
      if command[0] == "detect", ["scans/out", "link", "scans/../scans"].contains(out) { continue }
      for force in [[], ["--force"]] {
        let run = try run(command + ["--out", out] + force + TinyNetwork.detectorOptions, in: place)
        #expect(run.status == 65, "\(command) \(out): \(run.error)")
        #expect(run.error.contains("input"), "\(run.error)")
        if command[0] == "run" { #expect(run.error.contains(why), "\(run.error)") }
      }
    }
    let convert = try run(["capture", "convert", "scans", "--out", out, "--force"], in: place)
    #expect(convert.status == 65, "\(convert.error)")
    #expect(try digests(of: place.path) == before)
  }

  @Test func onlyWhatArdfWroteIsReplaced() throws {
    let place = try scans()
    try FileManager.default.createDirectory(atPath: place.file("home"), withIntermediateDirectories: false)
    try FileManager.default.moveItem(atPath: place.file("thesis.txt"), toPath: place.file("home/thesis.txt"))
    for command in [
      ["run", "scans"], ["run", "scans/f1000"], ["detect", "scans/f1000"], ["depth", "scans/f1000"],
      ["replay", "scans", "--max-speed"],
    ] {
      let options = command[0] == "depth" ? TinyNetwork.depthOptions : TinyNetwork.detectorOptions
      let refused = try run(command + ["--out", "home", "--force"] + options, in: place)
      #expect(refused.status == 73, "\(command): \(refused.error)")
      #expect(refused.error.contains("was not written by ardf"), "\(refused.error)")
      #expect(try place.read("home/thesis.txt") == Array("precious".utf8))

      // A result of its own, until something of the user's comes into it.
      let out = "out-\(command.joined(separator: "-").replacing("/", with: "-"))"
      #expect(try run(command + ["--out", out] + options, in: place).status == 0)
      #expect(try run(command + ["--out", out, "--force"] + options, in: place).status == 0)
      try place.write("precious", to: "\(out)/notes.txt")
      let held = try run(command + ["--out", out, "--force"] + options, in: place)
      #expect(held.status == 73 && held.error.contains("holds notes.txt"), "\(held.error)")
      #expect(try place.read("\(out)/notes.txt") == Array("precious".utf8))
    }
    let resumed = try run(["run", "scans", "--out", "home", "--resume"] + Self.networks, in: place)
    #expect(resumed.status == 73, "\(resumed.error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("home")) == ["thesis.txt"])
  }

  @Test func singleFilesOfOthersAreNotReplaced() throws {
    let place = try TemporaryDirectory()
    try place.write("precious", to: "thesis.json")
    try place.write(
      "{\"schema\": \"ardf.simulation/1\", \"duration\": 1, \"arrivals\": {\"framesPerSecond\": 30}}",
      to: "script.json")
    let refused = try run(["simulate", "script.json", "--out", "thesis.json", "--force"], in: place)
    #expect(refused.status == 73 && refused.error.contains("was not written by ardf"), "\(refused.error)")
    let same = try run(["simulate", "script.json", "--out", "./script.json", "--force"], in: place)
    #expect(same.status == 65 && same.error.contains("is the input"), "\(same.error)")
    for _ in 0..<2 {
      let done = try run(["simulate", "script.json", "--out", "trace.json", "--force"], in: place)
      #expect(done.status == 0, "\(done.error)")
    }
    let device = try run(["simulate", "script.json", "--out", "/dev/null", "--force"], in: place)
    #expect(device.status == 73, "\(device.error)")
    let nowhere = try run(["simulate", "script.json", "--out", "none/trace.json"], in: place)
    #expect(nowhere.status == 73 && nowhere.error.contains("none"), "\(nowhere.error)")
    let weights = try run(
      [
        "trace", "--weights", TinyNetwork.detector, "--size", "64x64", "--input", TinyNetwork.detector,
        "--out",
        TinyNetwork.detector, "--force",
      ], in: place)
    #expect(weights.status == 65 && weights.error.contains("is the input"), "\(weights.error)")
    #expect(try place.read("thesis.json") == Array("precious".utf8))
  }

  /// Killed at any moment, a run of several frames that replaces an old result leaves the old one or the new one.
  @Test(arguments: [SIGKILL, SIGTERM])
  func anOldResultStaysUntilTheNewOneIsWhole(signal: Int32) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 12, to: place.file("scans"))
    let arguments = ["run", "scans", "--out", "out"] + Self.networks
    #expect(try run(arguments, in: place).status == 0)
    let old = try digests(of: place.file("out"))
    for frames in [0, 1, 4, 11] {
      let victim = try RunningCommand(
        arguments + ["--force", "--effect", "0=smoke"], in: place.path)
      // One that ends meanwhile was not killed.
      try? victim.until("\(frames) frames are there") { Self.framesUnderWay(in: place) >= frames }
      kill(victim.process.processIdentifier, signal)
      let status = try victim.finished().status
      guard status != 0 else { break }
      #expect(try digests(of: place.file("out")) == old, "killed after \(frames) frames")
    }
    let done = try run(arguments + ["--force", "--effect", "0=smoke"], in: place)
    #expect(done.status == 0, "\(done.error)")
    #expect(try digests(of: place.file("out")) != old)
    #expect(try place.entries() == ["out", "scans"], "what killed runs left is gone")
  }

  /// Frames that are complete in folders that are not.
  private static func framesUnderWay(in place: borrowing TemporaryDirectory) -> Int {
    let names = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
    return names.count { $0.hasPrefix(".") && $0.hasSuffix("/summary.json") }
  }

  @Test func aRunThatMakesNothingReplacesNothing() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scans"))
    let arguments = ["run", "scans", "--out", "out"] + Self.networks
    #expect(try run(arguments, in: place).status == 0)
    let old = try digests(of: place.file("out"))
    for frame in ["f1000", "f1001"] { try place.write("no picture", to: "scans/\(frame)/image.png") }
    let failed = try run(arguments + ["--force"], in: place)
    #expect(failed.status == 65 && failed.error.contains("nothing was done"), "\(failed.error)")
    #expect(try digests(of: place.file("out")) == old)
  }

  /// A record is trusted only as long as every file is as it was written.
  @Test func resumingSeesWhatWasChanged() throws {
    let place = try scans()
    let arguments = ["run", "scans", "--out", "out"] + Self.networks
    #expect(try run(arguments, in: place).status == 0)
    let whole = try digests(of: place.file("out"))
    try FileManager.default.removeItem(atPath: place.file("out/00000/annotated.jpg"))
    try place.write("{}", to: "out/00001/objects.json")
    let resumed = try run(arguments + ["--resume"], in: place)
    #expect(resumed.status == 0, "\(resumed.error)")
    #expect(resumed.error.contains("2 frames in"))
    #expect(resumed.error.contains("done again: annotated.jpg was changed or removed"), "\(resumed.error)")
    #expect(try digests(of: place.file("out")) == whole)
  }

  /// Every page shows every camera: a sequence that has grown is done again, as a fresh run would do it.
  @Test func aSequenceThatHasGrownIsDoneAgain() throws {
    let place = try scans()
    #expect(try run(["run", "scans", "--out", "out"] + Self.networks, in: place).status == 0)
    try SyntheticCapture.writeSequence(of: 3, to: place.file("scans"))
    let resumed = try run(["run", "scans", "--out", "out", "--resume"] + Self.networks, in: place)
    #expect(resumed.status == 0, "\(resumed.error)")
    #expect(resumed.error.contains("the sequence have changed"), "\(resumed.error)")
    #expect(try run(["run", "scans", "--out", "fresh"] + Self.networks, in: place).status == 0)
    #expect(try digests(of: place.file("out")) == digests(of: place.file("fresh")))

    try FileManager.default.removeItem(atPath: place.file("scans/f1002"))
    let shrunk = try run(["run", "scans", "--out", "out", "--resume"] + Self.networks, in: place)
    #expect(shrunk.status == 0 && shrunk.error.contains("of frames that are gone: 00002"), "\(shrunk.error)")
    #expect(fileExists(place.file("out/00002/summary.json")))
  }
}
