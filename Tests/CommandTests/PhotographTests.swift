import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf run` and `ardf detect` on plain photographs: no camera, no depth.
@Suite struct PhotographTests {
  private func place(_ count: Int = 1) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    for index in 0..<count {
      try place.write(SyntheticCapture.encoded(phase: index), to: "photos/p\(index).png")
    }
    return place
  }

  private func run(_ words: [String], in place: TemporaryDirectory) throws -> CommandRun {
    try CommandRun(words, in: place.path, environment: ["HOME": place.path])
  }

  private static let networks = TinyNetwork.detectorOptions + TinyNetwork.depthOptions

  /// The printed speed says which networks were run.
  @Test func depthThatNothingShowsIsNotEstimated() throws {
    let place = try place()
    func networksRun(_ run: CommandRun) -> Int {
      run.error.split(separator: "\n").count { $0.hasPrefix("Speed: ") && $0.contains("inference") }
    }
    let shown = try run(["run", "photos/p0.png", "--out", "shown"] + Self.networks, in: place)
    #expect(shown.status == 0 && networksRun(shown) == 2, "\(shown.error)")
    #expect(FileManager.default.fileExists(atPath: place.file("shown/relative.npy")))
    let printed = try run(["run", "photos/p0.png", "--out", "-"] + Self.networks, in: place)
    #expect(printed.status == 0 && networksRun(printed) == 1, "\(printed.error)")
    for keep in ["records", "masks"] {
      let kept = try run(
        ["run", "photos/p0.png", "--keep", keep, "--out", keep] + Self.networks, in: place)
      #expect(kept.status == 0 && networksRun(kept) == 1, "\(kept.error)")
    }
    // Results name the networks that ran.
    func depth(_ line: JSONValue?) -> JSONValue? { line?["summary"]?["networks"]?["depth"] }
    #expect(try depth(printed.lines().first)?.isNull == true)
    let record = try JSONValue.parse(
      String(decoding: place.read("records/part-00001-of-00001.jsonl"), as: UTF8.self))
    #expect(depth(record)?.isNull == true, "\(record)")
    #expect(try JSONValue.read(path: place.file("shown/summary.json"))["networks"]?["depth"]?["name"] != nil)
    let all = try run(["run", "photos/p0.png", "--keep", "all", "--out", "all"] + Self.networks, in: place)
    #expect(all.status == 0 && networksRun(all) == 2, "\(all.error)")
    // With a sensor's depth it is of use: the same line as beside files.
    try SyntheticCapture.write(to: place.file("capture"))
    let measured = try run(["run", "capture", "--out", "-"] + Self.networks, in: place)
    #expect(measured.status == 0 && networksRun(measured) == 2, "\(measured.error)")
    // What is not computed changes nothing that is said.
    func others(_ summary: JSONValue?) -> JSONValue? {
      guard case .object(var fields)? = summary else { return nil }
      fields["networks"] = nil
      return .object(fields)
    }
    let written = try JSONValue.read(path: place.file("shown/summary.json"))
    #expect(try others(printed.lines().first?["summary"]) == others(written))
  }

  @Test func depthNoneGoesOnWithoutANetwork() throws {
    let place = try place()
    let run = try run(
      ["run", "photos/p0.png", "--depth", "none", "--out", "out"] + TinyNetwork.detectorOptions, in: place)
    #expect(run.status == 0 && !run.error.contains("no depth weights"), "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("out/relative.npy")))
    let alone = try self.run(["depth", "photos/p0.png", "--depth", "none", "--out", "d"], in: place)
    #expect(alone.status == 64 && alone.error.contains("--depth none"), "\(alone.error)")
  }

  @Test func scenesOfNothingAreNotWritten() throws {
    let place = try place()
    let run = try run(
      ["run", "photos/p0.png", "--usdz", "--out", "out"] + TinyNetwork.detectorOptions, in: place)
    #expect(run.status == 0, "\(run.error)")
    let files = try FileManager.default.contentsOfDirectory(atPath: place.file("out"))
    for name in ["scene.json", "scene.glb", "scene.usdz", "points.ply"] { #expect(!files.contains(name)) }
    #expect(files.contains("objects.json") && files.contains("report.html"))
    let page = try self.run(["report", "out", "--capture", "photos/p0.png", "--force"], in: place)
    #expect(page.status == 0, "\(page.error)")
    let camera = try self.run(
      ["run", "photos/p0.png", "--fov", "60", "--out", "camera"] + TinyNetwork.detectorOptions, in: place)
    #expect(camera.status == 0, "\(camera.error)")
    #expect(FileManager.default.fileExists(atPath: place.file("camera/scene.glb")))
    #expect(!FileManager.default.fileExists(atPath: place.file("camera/points.ply")))
  }

  @Test func whatCameNearestIsSaidWithTheThresholdThatShowsIt() throws {
    let place = try place()
    let options = ["--yolo", TinyNetwork.detector, "--imgsz", "64"]
    let none = try run(["detect", "photos/p0.png", "--conf", "0.99", "--out", "none"] + options, in: place)
    #expect(none.status == 0, "\(none.error)")
    let match = try #require(
      none.output.firstMatch(
        of: /the surest is a (.+) of [0-9.]+, which a threshold \(--conf\) of ([0-9.]+) shows/))
    let some = try run(
      ["detect", "photos/p0.png", "--conf", String(match.2), "--out", "some"] + options, in: place)
    #expect(some.status == 0 && some.output.contains(match.1), "\(some.output)")
    let table = try run(["run", "photos/p0.png", "--conf", "0.99", "--out", "run"] + options, in: place)
    #expect(table.output.contains("the surest is a"), "\(table.output)")
    #expect(!table.error.contains("the surest is a"), "said once: \(table.error)")
    // Where none of the wanted classes came near, others are not mentioned.
    let other = try run(
      ["detect", "photos/p0.png", "--conf", "0.99", "--classes", "3", "--out", "other"] + options, in: place)
    #expect(other.status == 0, "\(other.error)")
    if match.1 != "class 3" { #expect(!other.output.contains("the surest is a \(match.1)")) }
  }

  @Test func notesOfManyFramesAreSaidOnceAndResultsArePlaced() throws {
    let place = try place(4)
    let run = try run(["run", "photos", "--out", "out"] + TinyNetwork.detectorOptions, in: place)
    #expect(run.status == 0, "\(run.error)")
    let notes = run.error.split(separator: "\n").filter { $0.contains("no camera") }
    #expect(notes.count == 2 && notes.last?.hasPrefix("3 other frames too") == true, "\(run.error)")
    #expect(run.error.contains("results in out"), "\(run.error)")
    let found = try self.run(["detect", "photos", "--out", "found"] + TinyNetwork.detectorOptions, in: place)
    #expect(found.error.contains("results in found"), "\(found.error)")
    let quiet = try self.run(
      ["detect", "photos", "-q", "--out", "q"] + TinyNetwork.detectorOptions, in: place)
    #expect(quiet.status == 0 && quiet.error.isEmpty && quiet.output.isEmpty, "\(quiet.error)")
  }

  /// Every line ends before the next begins, whichever stream it is of.
  @Test func oneStreamOfBothHasWholeLines() throws {
    let place = try place(3)
    let words = ["detect", "photos", "--out", "out", "--force"] + TinyNetwork.detectorOptions
    let (output, error) = { ($0.output, $0.error) }(try run(words, in: place))
    let line = ([CommandRun.executable] + words).map { "'\($0)'" }.joined(separator: " ")
    let both = try CommandRun(
      ["-c", "\(line) 2>&1 | cat"], in: place.path, environment: ["HOME": place.path], program: "/bin/sh")
    let apart = Set((output + error).split(separator: "\n").filter { !$0.hasPrefix("Speed") })
    for line in both.output.split(separator: "\n") where !line.hasPrefix("Speed") {
      #expect(apart.contains(line), "\(line)")
    }
    #expect(both.output.hasSuffix("\n"))
  }

  @Test func automaticPrecisionSaysWhatItTookAndWhy() throws {
    let place = try place()
    let words = ["detect", "photos/p0.png", "--force", "--out", "out"] + TinyNetwork.detectorOptions
    let exact = try run(words + ["--precision", "auto:0.0001"], in: place)
    #expect(exact.status == 0 && exact.error.contains("--precision auto: fp32"), "\(exact.error)")
    let usual = try run(words + ["--precision", "auto"], in: place)
    #expect(usual.status == 0 && usual.error.contains("--precision auto: "), "\(usual.error)")
    #expect(usual.error.contains("(asked for: 0.50 %)"))
    let plain = try run(words, in: place)
    #expect(!plain.error.contains("--precision"))
    for wrong in ["auto:0", "auto:2", "auto:x", "automatic"] {
      #expect(try run(words + ["--precision", wrong], in: place).status == 64, "\(wrong)")
    }
  }

  @Test func demoNamesAPhotographThatIsNotThere() throws {
    let make = try CommandRun(
      ["-C", SharedData.packageRoot, "demo", "PHOTO=/nowhere/typo.jpg"],
      environment: ["PATH": "/usr/bin:/bin"], program: "/usr/bin/make")
    #expect(make.status != 0 && make.error.contains("there is no /nowhere/typo.jpg"), "\(make.error)")
    #expect(!make.output.contains("swift build"))
  }
}
