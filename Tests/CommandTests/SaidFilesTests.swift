import FileFormats
import Foundation
import TestSupport
import Testing

/// Files that a command names are there, and no note is printed twice.
@Suite struct SaidFilesTests {
  /// `cap` with `rel`, its relative depth, and two photos.
  private static func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("cap"))
    try SyntheticCapture.writeSequence(of: 2, to: place.file("seq"))
    try place.write(SyntheticCapture.relative().encoded(), to: "relative.npy")
    for (phase, name) in ["a", "b"].enumerated() {
      try place.write(SyntheticCapture.encoded(phase: phase), to: "photos/\(name).png")
    }
    return place
  }

  /// The names after `results in FOLDER:` that are files or folders, not words.
  private static func named(_ run: CommandRun, _ folder: String) -> [String]? {
    let start = "results in \(folder): "
    guard let line = run.error.split(separator: "\n").first(where: { $0.hasPrefix(start) }) else {
      return nil
    }
    return line.dropFirst(start.count).split(separator: ", ").map(String.init).filter { !$0.contains(" ") }
  }

  @Test(arguments: [
    ["run", "cap", "DET"], ["run", "seq", "DET"], ["run", "photos/a.png", "DET"], ["run", "photos", "DET"],
    ["run", "seq", "DET", "--shard", "1/2"], ["detect", "cap", "DET"],
    ["replay", "seq", "--max-speed"], ["replay", "seq", "--max-speed", "--frames", "none"],
    ["replay", "photos", "--max-speed", "--at", "0", "DET"],
    ["replay", "seq", "--max-speed", "--at", "0", "DET"],
    ["fuse", "--relative", "relative.npy", "--capture", "cap"],
    ["compose", "--detections", "found/detections.json", "--capture", "cap"],
    ["place", "--detections", "found/detections.json", "--capture", "cap"],
  ])
  func namedFilesAreThere(_ words: [String]) throws {
    let place = try Self.place()
    if words.contains("--detections") {
      let found = try CommandRun(
        ["detect", "cap", "--out", "found"] + TinyNetwork.detectorOptions, in: place.path)
      try #require(found.status == 0, "\(found.error)")
    }
    let words = words.flatMap { $0 == "DET" ? TinyNetwork.detectorOptions : [$0] }
    let run = try CommandRun(words + ["--out", "o"], in: place.path)
    #expect(run.status == 0 && run.error.contains("results in o"), "\(words): \(run.error)")
    for name in Self.named(run, "o") ?? [] {
      #expect(fileExists(place.file("o/\(name)")), "\(words): \(name): \(run.error)")
    }
    // A folder without objects of several frames is not said to have them.
    if words[0] == "replay" {
      #expect(
        run.error.contains("sequence-objects.json") == fileExists(place.file("o/sequence-objects.json")))
    }
  }

  @Test func whereNothingFitsTheFileToGiveIsNamed() throws {
    let place = try Self.place()
    let fuse = ["fuse", "--capture", "cap", "--relative"]
    try #require(try CommandRun(fuse + ["relative.npy", "--out", "fused"], in: place.path).status == 0)
    let run = try CommandRun(fuse + ["fused/metric.npy", "--out", "o"], in: place.path)
    #expect(run.status == 1, "\(run.error)")
    #expect(
      run.error.contains("no fit: negative-slope") && run.error.contains("give relative.npy"), "\(run.error)")
    #expect(Self.named(run, "o") == ["fusion.json"], "\(run.error)")
  }

  @Test func quietPlacesPrintNoTable() throws {
    let place = try Self.place()
    let found = try CommandRun(
      ["detect", "cap", "--out", "found"] + TinyNetwork.detectorOptions, in: place.path)
    try #require(found.status == 0, "\(found.error)")
    let run = try CommandRun(
      ["place", "--detections", "found/detections.json", "--capture", "cap", "--out", "o", "--quiet"],
      in: place.path)
    #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
  }

  /// A reason that many pictures share is printed once, with their names.
  @Test(arguments: [["--weights", TinyNetwork.depth], ["--weights", TinyNetwork.detector, "--boxes"]])
  func sharedReasonsAreSaidOnce(_ options: [String]) throws {
    let place = try Self.place()
    let run = try CommandRun(["evaluate", "photos/a.png", "photos/b.png"] + options, in: place.path)
    #expect(run.status == 65, "\(run.error)")
    #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
    #expect(run.error.contains("2 frames, a.png, b.png: "), "\(run.error)")
  }

  @Test func whatWasAskedForIsNotNoted() throws {
    let place = try Self.place()
    let run = try CommandRun(
      ["run", "photos/a.png", "--depth", "none", "--out", "o"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 0 && !run.error.contains("no depth network"), "\(run.error)")
  }

  /// Files beside pictures are called so, all by their names.
  @Test func filesBesidePicturesAreNamed() throws {
    let place = try Self.place()
    for name in ["c.svg", "n.txt", "z.gif"] { try place.write("x", to: "photos/\(name)") }
    let run = try CommandRun(
      ["detect", "photos", "--out", "o"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(
      run.error.contains("skipped 3 of 5 files, c.svg, n.txt, z.gif: not a picture that is read (JPEG"),
      "\(run.error)")
  }

  /// A pixel is said as it was typed.
  @Test func tapsAreSaidAsTheyWereTyped() throws {
    let place = try Self.place()
    let run = try CommandRun(
      ["replay", "cap", "--max-speed", "--tap", "3,4=snow", "--out", "o", "--yolo", TinyNetwork.detector]
        + ["--imgsz", "64", "--conf", "0.99"], in: place.path)
    #expect(run.status == 1 && run.error.contains("effects were not placed: 3,4=snow"), "\(run.error)")
    #expect(run.error.contains("in the first frame") && run.error.contains("--detect-every"), "\(run.error)")
  }
}
