import FileFormats
import Foundation
import OutputFolders
import TestSupport
import Testing

/// The full flow and its stages on a made-up capture with random networks.
@Suite struct RunTests {
  private static let files: Set<String> = [
    "annotated.jpg", "detections.json", "fusion.json", "metric-source.png", "metric.npy", "metric.png",
    "objects.json",
    "points.ply",
    "relative.npy", "relative.jpg", "report.html", "results.jpg", "scene.glb", "scene.json", "summary.json",
  ]

  private func run(_ source: String, out: String, _ more: [String] = []) throws -> CommandRun {
    try CommandRun(
      ["run", source, "--out", out] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions + more)
  }

  @Test func jsonAloneGoesToStandardOutput() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    for verb in ["detect", "run"] {
      let words = [verb, "capture"] + TinyNetwork.detectorOptions
      let runs = try [["--json"], ["--out", "-"]].map { try CommandRun(words + $0, in: place.path) }
      #expect(runs[0].status == 0 && runs[0].output == runs[1].output, "\(runs[0].error)")
      #expect(try runs[0].lines().count == 1)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["capture"])
  }

  @Test func writesEveryFile() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try run(place.file("capture"), out: place.file("out"), ["--json"])
    #expect(run.status == 0, "\(run.error)")
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: place.file("out")))
    let summary = try run.summary()
    #expect(summary["schema"]?.string == "ardf.summary/1")
    // Random depth may not fit, and then there is no metric map.
    let isFitted = summary["fusion"]?["status"]?.string == "ok"
    let expected = isFitted ? Self.files : Self.files.filter { !$0.hasPrefix("metric") }
    #expect(
      names.subtracting(["masks", "points", "probabilities", OutputRecord.fileName]) == Set(expected))
    #expect(try JSONValue.read(path: place.file("out/summary.json")) == summary)
    let objects = try #require(summary["objects"]?.array)
    #expect(!objects.isEmpty, "the random detector should find something at \(TinyNetwork.conf)")
    for object in objects { #expect(["lidar", "fusion", "none"].contains(object["distanceSource"]?.string)) }
    #expect(run.error.contains("Speed: "))
    #expect(run.error.split(separator: "\n").last?.hasPrefix("Speed: ") == true)
  }

  @Test func sameBytesForAnyNumberOfThreads() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    var results: [[String: String]] = []
    for threads in [1, 2, 4] {
      let out = place.file("out\(threads)")
      let run = try run(place.file("capture"), out: out, ["--threads", "\(threads)"])
      #expect(run.status == 0, "\(run.error)")
      results.append(try digests(of: out))
    }
    #expect(results[0].count > 10)
    #expect(results[1] == results[0])
    #expect(results[2] == results[0])
  }

  @Test func sequenceGetsAFolderAFrame() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: place.file("sequence"))
    let run = try run(place.file("sequence"), out: place.file("out"))
    #expect(run.status == 0, "\(run.error)")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.file("out")).sorted()
    #expect(
      names == [
        OutputRecord.fileName, "00000", "00001", "00002", "index.html", "results.jsonl",
        "sequence-objects.json",
      ])
    #expect(run.output.split(separator: "\n").last?.hasPrefix("sequence-objects.json: ") == true)
    #expect(run.output.hasSuffix(" in 3 frames\n"))
    let lines = try String(contentsOfFile: place.file("out/results.jsonl"), encoding: .utf8)
      .split(separator: "\n").map { try JSONValue.parse(String($0)) }
    #expect(lines.map { $0["name"]?.string } == ["f1000", "f1001", "f1002"])

    let one = try self.run(place.file("sequence"), out: place.file("one"), ["--frame", "f1001"])
    #expect(one.status == 0, "\(one.error)")
    // Their pages differ by the way to the page over all frames, and so do the records of the pages.
    let besides = { (folder: String) in
      try digests(of: place.file(folder)).filter { !["report.html", OutputRecord.fileName].contains($0.key) }
    }
    #expect(try besides("one") == besides("out/00001"))
    #expect(try pages("out/00001/report.html", in: place).contains("\"index\":\"../index.html\""))
    #expect(try pages("one/report.html", in: place).contains("\"index\":null"))
    let index = try pages("out/index.html", in: place)
    for name in ["00000", "00001", "00002"] {
      #expect(index.contains("href=\"\(name)/report.html\"") && index.contains("src=\"\(name)/results.jpg\""))
    }
    let again = try CommandRun([
      "report", place.file("out/00001"), "--capture", place.file("sequence"), "--frame", "f1001", "--force",
    ])
    #expect(again.status == 0, "\(again.error)")
    #expect(try pages("out/00001/report.html", in: place).contains("\"index\":\"../index.html\""))
  }

  private func pages(_ name: String, in place: TemporaryDirectory) throws -> String {
    String(decoding: try place.read(name), as: UTF8.self)
  }

  @Test func stagesAgreeWithTheWholeFlow() throws {
    let place = try TemporaryDirectory()
    let capture = place.file("capture")
    try SyntheticCapture.write(to: capture)
    #expect(try run(capture, out: place.file("run")).status == 0)
    let detect = try CommandRun(
      ["detect", capture, "--out", place.file("detect")] + TinyNetwork.detectorOptions)
    #expect(detect.status == 0, "\(detect.error)")
    let depth = try CommandRun(["depth", capture, "--out", place.file("depth")] + TinyNetwork.depthOptions)
    #expect(depth.status == 0, "\(depth.error)")
    for (stage, name) in [
      ("detect", "detections.json"), ("detect", "annotated.jpg"), ("depth", "relative.npy"),
      ("depth", "relative.jpg"),
    ] {
      #expect(try place.read("\(stage)/\(name)") == place.read("run/\(name)"), "\(name)")
    }
    try SyntheticCapture.write(SyntheticCapture.relative().encoded(), to: place.file("relative.npy"))
    let fuse = try CommandRun([
      "fuse", "--relative", place.file("relative.npy"), "--capture", capture, "--out", place.file("fuse"),
      "--json",
    ])
    #expect(fuse.status == 0, "\(fuse.error)")
    let report = try fuse.json()
    #expect(report["status"]?.string == "ok")
    // 1 / Z = (r + 0.5) / 3.
    #expect(abs((report["scale"]?.number ?? 0) - 1.0 / 3) < 0.01)
    #expect(abs((report["shift"]?.number ?? 0) - 0.5 / 3) < 0.01)

    let placed = try CommandRun([
      "place", "--detections", place.file("detect/detections.json"), "--capture", capture, "--fusion",
      place.file("fuse"), "--effect", "0=debugCube", "--out", place.file("place"),
    ])
    #expect(placed.status == 0, "\(placed.error)")
    let scene = try JSONValue.read(path: place.file("place/scene.json"))
    #expect(scene["effects"]?[0]?["type"]?.string == "debugCube")
    let composed = try CommandRun([
      "compose", "--detections", place.file("detect/detections.json"), "--objects",
      place.file("place/objects.json"),
      "--capture", capture, "--out", place.file("compose"),
    ])
    #expect(composed.status == 0, "\(composed.error)")
    #expect(try place.read("compose/results.jpg").starts(with: [0xFF, 0xD8, 0xFF]))
  }

  @Test func goesOnWithoutDepthWeights() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try CommandRun(
      ["run", place.file("capture"), "--out", place.file("out"), "--json"] + TinyNetwork.detectorOptions,
      in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("using the depth sensor alone"))
    #expect(try run.summary()["fusion"]?.isNull == true)
    #expect(!FileManager.default.fileExists(atPath: place.file("out/relative.npy")))
    #expect(FileManager.default.fileExists(atPath: place.file("out/results.jpg")))
  }

  @Test(arguments: [
    (SyntheticCapture.Options(withDepth: false), "no sensor depth"),
    (SyntheticCapture.Options(withConfidence: false), "no confidence"),
    (SyntheticCapture.Options(depthOfNaN: true), "too-few-pairs"),
  ])
  func statesItsFallbacks(options: SyntheticCapture.Options, note: String) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"), options: options)
    let run = try run(place.file("capture"), out: place.file("out"), ["--json"])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains(note))
    let notes = try run.summary()["notes"]?.array?.compactMap(\.string) ?? []
    #expect(notes.contains { $0.contains(note) })
  }

  @Test func noObjectsIsAResult() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try run(place.file("capture"), out: place.file("out"), ["--conf", "1", "--json"])
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.summary()["objects"]?.array?.isEmpty == true)
    #expect(run.error.contains("no objects found"))
    #expect(FileManager.default.fileExists(atPath: place.file("out/results.jpg")))
  }

  @Test func plainPictureHasNoDistances() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try run(
      place.file("capture/image.png"), out: place.file("out"), ["--json", "--effect", "0=smoke"])
    #expect(run.status == 0, "\(run.error)")
    let summary = try run.summary()
    #expect(summary["objects"]?[0]?["distanceSource"]?.string == "none")
    #expect(summary["effects"]?.array?.isEmpty == true)
    #expect(run.error.contains("no camera"))
    #expect(run.error.contains("cannot place smoke on object 0"))
  }
}
