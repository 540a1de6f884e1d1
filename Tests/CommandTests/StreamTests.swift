import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Continuous work: pictures from pipes and films, a line each, and one shape of results for any number of them.
@Suite struct StreamTests {
  private static func png(_ phase: Int) throws -> [UInt8] {
    try ImageCodec.encodePNG(SyntheticCapture.picture(phase: phase))
  }

  private static func detect(
    _ sources: [String], _ more: [String] = [], in place: TemporaryDirectory, input: String? = nil,
    environment: [String: String] = [:]
  ) throws -> CommandRun {
    try CommandRun(
      ["detect"] + sources + TinyNetwork.detectorOptions + more, in: place.path, environment: environment,
      input: input.map(place.file))
  }

  @Test func aLineAPictureOfStandardInput() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0) + Self.png(1) + Self.png(2), to: "pipe")
    let run = try Self.detect(["-"], ["--out", "-"], in: place, input: "pipe")
    #expect(run.status == 0, "\(run.error)")
    let lines = try run.lines()
    #expect(lines.map { $0["image"]?.string } == ["000000", "000001", "000002"])
    #expect(lines.allSatisfy { $0["schema"]?.string == "ardf.detections/1" && $0["source"]?.string == "-" })
    #expect(lines.contains { $0["detections"]?[0]?["box"]?["width"]?.number != nil })

    // The same picture by itself has the same line but for where it comes from.
    try place.write(Self.png(1), to: "one.png")
    let alone = try Self.detect(["one.png"], ["--out", "-"], in: place).lines()
    #expect(alone.count == 1)
    #expect(alone[0]["detections"] == lines[1]["detections"])
    #expect(alone[0].object?.keys.sorted() == lines[1].object?.keys.sorted())
  }

  @Test(arguments: ["bytetrack", "botsort"])
  func objectsOfAFilmHaveIdentities(_ tracker: String) throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0) + Self.png(0) + Self.png(0), to: "pipe")
    let lines = try Self.detect(["-"], ["--out", "-", "--track", tracker], in: place, input: "pipe").lines()
    let ids = lines.map { line in
      (line["detections"]?.array ?? []).compactMap { $0["track"]?.integer(in: 1...100_000) }
    }
    #expect(ids.count == 3 && !ids[0].isEmpty)
    // What does not move keeps its identity, and no two objects share one.
    #expect(ids.allSatisfy { Set($0).count == $0.count })
    #expect(Set(ids[0]).isSuperset(of: ids[1]) && !ids[1].isEmpty)
    #expect(lines.allSatisfy { line in line["detections"]?.array?.allSatisfy { $0["track"] != nil } == true })

    let table = try Self.detect(
      ["-"], ["--out", "-", "--format", "csv", "--track", tracker], in: place, input: "pipe")
    let rows = table.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(rows.first?.last == "track")
    #expect(rows.count > 3 && rows.dropFirst().allSatisfy { $0.last.map { !$0.isEmpty } ?? false })

    try place.write(Self.png(0), to: "one.png")
    let alone = try Self.detect(["one.png"], ["--out", "-", "--track", tracker], in: place)
    #expect(alone.status == 64 && alone.error.contains("give a film"), "\(alone.error)")
    let bad = try Self.detect(
      ["-"], ["--out", "-", "--track", tracker, "--track-high-thresh", "2"], in: place, input: "pipe")
    #expect(bad.status == 64 && bad.error.contains("--track-high-thresh 2"), "\(bad.error)")
  }

  @Test func damagedPicturesAreLeftOutAndSaid() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0) + Array("rubbish".utf8) + Self.png(2).dropLast(20), to: "pipe")
    let run = try Self.detect(["-"], ["--out", "-"], in: place, input: "pipe")
    #expect(run.status == 65)
    #expect(try run.lines().map { $0["image"]?.string } == ["000000", nil, nil])
    #expect(try run.lines().dropFirst().allSatisfy { $0["error"]?.string != nil })
    #expect(run.error.contains("-, picture 1: left out: 7 bytes that are not a picture"), "\(run.error)")
    #expect(run.error.contains("2 of 3 pictures could not be read"), "\(run.error)")
    try place.write("", to: "empty")
    let empty = try Self.detect(["-"], ["--out", "-"], in: place, input: "empty")
    #expect(empty.status == 65 && empty.error.contains("holds no picture"))
    let without = try CommandRun(
      ["run", "-", "--out", "none"] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions, in: place.path,
      input: place.file("empty"))
    #expect(without.status == 65 && without.error.contains("holds no picture"), "\(without.error)")
    #expect(try !place.entries().contains("none"))
  }

  /// A camera has no other end than a signal: what was done by then is kept.
  @Test(arguments: [SIGINT, SIGTERM], [[], ["--live"]])
  func aSignalEndsAStreamAndKeepsWhatWasDone(signal: Int32, options: [String]) throws {
    let place = try TemporaryDirectory()
    let made = unsafe mkfifo(place.file("pipe"), 0o600)
    #expect(made == 0)
    let running = try RunningCommand(
      ["detect", "pipe", "--out", "found"] + options + TinyNetwork.detectorOptions, in: place.path)
    // Waits for the reader; stays open, so that the stream has no end of its own.
    let pipe = try #require(FileHandle(forWritingAtPath: place.file("pipe")))
    try pipe.write(contentsOf: Self.png(0))
    func isThere(_ name: String) -> Bool {
      FileManager.default.enumerator(atPath: place.path)?.contains {
        ($0 as? String)?.hasSuffix("\(name)/detections.json") == true
      } == true
    }
    try running.until("the first is there") { isThere("000000") }
    try pipe.write(contentsOf: Self.png(1))
    try running.until("the second is there") { isThere("000001") }
    kill(running.process.processIdentifier, signal)
    let run = try running.finished()
    try pipe.close()
    #expect(run.status == 128 + signal, "\(run.error)")
    #expect(run.error.contains("ended by a signal after 2 pictures"), "\(run.error)")
    let index = try JSONValue.read(path: place.file("found/index.json"))
    #expect(index["frames"]?.array?.map { $0["folder"]?.string } == ["000000", "000001"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == ["found", "pipe"])
  }

  @Test func rowsOfBytesAndAFolder() throws {
    let place = try TemporaryDirectory()
    let picture = SyntheticCapture.picture()
    try place.write(picture.pixels + picture.pixels, to: "raw")
    let size = "\(picture.width)x\(picture.height)"
    let run = try Self.detect(["-"], ["--raw-size", size, "--out", "found"], in: place, input: "raw")
    #expect(run.status == 0, "\(run.error)")
    #expect(fileExists(place.file("found/000001/detections.json")))
    let index = try JSONValue.read(path: place.file("found/index.json"))
    #expect(index["frames"]?.array?.map { $0["folder"]?.string } == ["000000", "000001"])
    let depth = try CommandRun(
      ["depth", "-", "--raw-size", size, "--out", "maps"] + TinyNetwork.depthOptions, in: place.path,
      input: place.file("raw"))
    #expect(depth.status == 0, "\(depth.error)")
    #expect(fileExists(place.file("maps/000001/relative.npy")))
  }

  @Test func theWholeFlowOnAStream() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0) + Self.png(1), to: "pipe")
    let options = TinyNetwork.detectorOptions + TinyNetwork.depthOptions + ["--fov", "60"]
    let run = try CommandRun(
      ["run", "-", "--out", "-", "--masks-rle"] + options, in: place.path, input: place.file("pipe"))
    #expect(run.status == 0, "\(run.error)")
    let lines = try run.lines()
    #expect(lines.map { $0["name"]?.string } == ["000000", "000001"])
    let object = try #require(lines[0]["summary"]?["objects"]?[0])
    for key in ["box", "classId", "className", "confidence", "distanceMeters", "label", "box3D"] {
      #expect(object[key] != nil, "\(key)")
    }
    let masks = try #require(lines[0]["masks"]?.array)
    #expect(!masks.isEmpty && masks.allSatisfy { $0["counts"]?.string != nil && $0["id"]?.integer != nil })

    let kept = try CommandRun(
      ["run", "-", "--out", "kept"] + options, in: place.path, input: place.file("pipe"))
    #expect(kept.status == 0, "\(kept.error)")
    let written = try String(contentsOfFile: place.file("kept/results.jsonl"), encoding: .utf8)
    #expect(written.split(separator: "\n").count == 2)
    #expect(fileExists(place.file("kept/000001/report.html")))
    // A picture alone has a line of the same shape.
    try place.write(Self.png(1), to: "one.png")
    let alone = try CommandRun(["run", "one.png", "--out", "-", "--masks-rle"] + options, in: place.path)
      .lines()
    #expect(alone.count == 1 && alone[0].object?.keys.sorted() == lines[1].object?.keys.sorted())
    #expect(alone[0]["summary"]?["objects"] == lines[1]["summary"]?["objects"])
  }

  @Test func tables() throws {
    let place = try TemporaryDirectory()
    for phase in 0..<2 { try place.write(Self.png(phase), to: "day/p\(phase).png") }
    let run = try Self.detect(["day/*.png"], ["--format", "csv", "--out", "-"], in: place)
    #expect(run.status == 0, "\(run.error)")
    let lines = run.output.split(separator: "\n")
    #expect(lines[0] == "source,name,timestamp,id,class_id,class,confidence,x,y,width,height")
    #expect(lines.count > 2 && lines.contains { $0.hasPrefix("day/p1.png,p1.png,") })
    #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 11 })
    let whole = try CommandRun(
      ["run", "day", "--format", "csv", "--out", "out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(whole.status == 0, "\(whole.error)")
    let table = try String(contentsOfFile: place.file("out/results.csv"), encoding: .utf8).split(
      separator: "\n")
    #expect(table[0].hasSuffix("volume_m3,volume_low_m3,volume_high_m3") && table.count == lines.count)
    #expect(fileExists(place.file("out/p0/summary.json")) && fileExists(place.file("out/p1/summary.json")))
  }

  @Test func severalSourcesAndTheirNames() throws {
    let place = try TemporaryDirectory()
    for name in ["day/a.png", "day/a.b.png", "night/a.png"] { try place.write(Self.png(0), to: name) }
    let run = try Self.detect(["day/*.png", "night/a.png"], ["--out", "found"], in: place)
    #expect(run.status == 0, "\(run.error)")
    for name in ["a", "a.b", "a-2"] {
      #expect(fileExists(place.file("found/\(name)/detections.json")), "\(name)")
    }
    let depth = try CommandRun(
      ["depth", "day", "night/a.png", "--out", "depth"] + TinyNetwork.depthOptions, in: place.path)
    #expect(depth.status == 0, "\(depth.error)")
    for name in ["day/a", "day/a.b", "a"] {
      #expect(fileExists(place.file("depth/\(name)/relative.npy")), "\(name)")
    }
    #expect(try Self.detect(["nothing*"], ["--out", "x"], in: place).status == 66)
  }

  @Test func onlySomeClasses() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0), to: "p.png")
    let all = try Self.detect(["p.png"], ["--out", "-"], in: place).json()["detections"]?.array ?? []
    let chosen = try #require(all.first?["classId"]?.integer)
    let some = try Self.detect(["p.png"], ["--classes", "\(chosen)", "--out", "-"], in: place).json()
    let found = some["detections"]?.array ?? []
    #expect(!found.isEmpty && found.allSatisfy { $0["classId"]?.integer == chosen })
    #expect(some["model"]?["only"]?[0]?.integer == chosen)
    #expect(found.map { $0["id"]?.integer } == Array(0..<found.count))
    let name = try #require(all.first?["className"]?.string)
    let byName = try Self.detect(["p.png"], ["--classes", name, "--out", "-"], in: place).json()
    #expect(byName["detections"] == some["detections"])
    let unknown = try Self.detect(["p.png"], ["--classes", "unicorns", "--out", "-"], in: place)
    #expect(unknown.status == 64 && unknown.error.contains("knows no unicorns"))
  }

  @Test func quietMeansQuiet() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0), to: "p.png")
    let run = try Self.detect(["p.png"], ["--out", "found", "-q"], in: place)
    #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty, "\(run.output)\(run.error)")
    let flow = try CommandRun(
      ["run", "p.png", "--out", "-", "--quiet"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(flow.status == 0 && flow.error.isEmpty, "\(flow.error)")
    #expect(try flow.lines().count == 1)
  }

  @Test func aFilmThroughTheUsersFFmpeg() throws {
    let place = try TemporaryDirectory()
    try place.write("film", to: "clip.mp4")
    let pixels = SyntheticCapture.picture()
    try place.write(
      Array("P6\n\(pixels.width) \(pixels.height)\n255\n".utf8) + pixels.pixels, to: "bin/frame.ppm")
    try place.writeProgram(
      "#!/bin/sh\nfor i in 1 2 3; do cat \"${0%ffmpeg}frame.ppm\"; done\n", to: "bin/ffmpeg")
    let path = ["PATH": "\(place.file("bin")):/usr/bin:/bin"]
    let run = try Self.detect(["clip.mp4"], ["--out", "-"], in: place, environment: path)
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.lines().map { $0["image"]?.string } == ["000000", "000001", "000002"])
    let live = try CommandRun(
      ["run", "clip.mp4", "--live", "--out", "-"] + TinyNetwork.detectorOptions, in: place.path,
      environment: path)
    #expect(live.status == 0, "\(live.error)")
    let lines = try live.lines()
    // Whatever was left out is counted.
    let dropped = lines.reduce(0) { $0 + ($1["dropped"]?.integer ?? -1) }
    #expect((1...3).contains(lines.count) && lines.count + dropped <= 3 && dropped >= 0)
    #expect(lines.last?["name"]?.string == "000002", "the newest is never left out")
    let none = try Self.detect(["clip.mp4"], ["--out", "-"], in: place, environment: ["PATH": place.path])
    #expect(none.status == 66 && none.error.contains("ffmpeg was not found"), "\(none.error)")
  }

  @Test(arguments: ["detect", "run"]) func aFilmsTimesAreSeconds(command: String) throws {
    let place = try TemporaryDirectory()
    try place.write("film", to: "clip.mp4")
    let pixels = SyntheticCapture.picture()
    try place.write(
      Array("P6\n\(pixels.width) \(pixels.height)\n255\n".utf8) + pixels.pixels, to: "bin/frame.ppm")
    try place.writeProgram(
      "#!/bin/sh\nfor i in 0 1 2; do printf 'frame:%d pts:%d pts_time:0\\nardf=time\\n' $i $((i * 40000)) >&2\n"
        + "cat \"${0%ffmpeg}frame.ppm\"; done\n", to: "bin/ffmpeg")
    let run = try CommandRun(
      [command, "clip.mp4", "--out", "-"] + TinyNetwork.detectorOptions, in: place.path,
      environment: ["PATH": "\(place.file("bin")):/usr/bin:/bin"])
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.lines().map { $0["timestamp"]?.number } == [0, 0.04, 0.08])
  }

  /// A stand-in for ffmpeg on a camera: the first time it prints a picture and is silent then; later it prints one and ends.
  private static func stallingCamera(in place: borrowing TemporaryDirectory) throws -> [String: String] {
    let pixels = SyntheticCapture.picture()
    try place.write(
      Array("P6\n\(pixels.width) \(pixels.height)\n255\n".utf8) + pixels.pixels, to: "bin/frame.ppm")
    try place.writeProgram(
      "#!/bin/sh\nhere=${0%ffmpeg}\ncat \"${here}frame.ppm\"\nif mkdir \"${here}once\" 2>/dev/null; then exec sleep 3600; fi\n",
      to: "bin/ffmpeg")
    return ["PATH": "\(place.file("bin")):/usr/bin:/bin"]
  }

  @Test func aCameraThatStallsEndsWithACodeOfItsOwn() throws {
    for command in ["detect", "run"] {
      let place = try TemporaryDirectory()
      let path = try Self.stallingCamera(in: place)
      let run = try CommandRun(
        [command, "rtsp://127.0.0.1:9/live", "--stall", "0.5", "--out", "out"] + TinyNetwork.detectorOptions,
        in: place.path, environment: path)
      #expect(run.status == 75, "\(run.error)")
      #expect(run.error.contains("rtsp://127.0.0.1:9/live: no picture for 0.5 s"), "\(run.error)")
      #expect(FileManager.default.fileExists(atPath: place.file("out/000000/detections.json")))
    }
  }

  /// A stand-in that is refused twice and then prints a picture.
  @Test func theSameReasonIsToldOnce() throws {
    let place = try TemporaryDirectory()
    let path = try Self.stallingCamera(in: place)
    try place.writeProgram(
      "#!/bin/sh\nhere=${0%ffmpeg}\nfor try in one two; do\n  if mkdir \"$here$try\" 2>/dev/null; then "
        + "echo 'Connection refused' >&2; exit 1; fi\ndone\ncat \"${here}frame.ppm\"\n", to: "bin/ffmpeg")
    let address = "rtsp://127.0.0.1:9/live"
    let run = try CommandRun(
      ["detect", address, "--reconnect", "--max-frames", "1", "--out", "out"] + TinyNetwork.detectorOptions,
      in: place.path, environment: path)
    #expect(run.error.ranges(of: "Connection refused").count == 1, "\(run.error)")
    #expect(fileExists(place.file("out/000000/detections.json")))
    try FileManager.default.removeItem(atPath: place.file("bin/one"))
    let once = try CommandRun(
      ["detect", address, "--out", "none"] + TinyNetwork.detectorOptions, in: place.path, environment: path)
    #expect(once.status == 69 && once.error.contains("cannot be reached"), "\(once.error)")
  }

  @Test func aCameraIsOpenedAgain() throws {
    let place = try TemporaryDirectory()
    let path = try Self.stallingCamera(in: place)
    let run = try CommandRun(
      [
        "detect", "rtsp://127.0.0.1:9/live", "--stall", "0.5", "--reconnect", "--max-frames", "3", "--out",
        "out",
      ] + TinyNetwork.detectorOptions, in: place.path, environment: path)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("no picture for 0.5 s: connecting again"), "\(run.error)")
    #expect(run.error.contains("has ended: connecting again"), "\(run.error)")
    for name in ["000000", "000001", "000002"] {
      #expect(FileManager.default.fileExists(atPath: place.file("out/\(name)/detections.json")), "\(name)")
    }
  }

  @Test(arguments: [
    (["clip.mp4", "--reconnect"], "--reconnect belongs to"), (["-", "--stall", "5"], "--stall belongs to"),
    (["p.png", "--reconnect"], "--reconnect belongs to"), (["rtsp://x", "--stall", "0"], "--stall"),
    (["p.png", "--live"], "--live belongs to"), (["p.png", "--raw-size", "2x2"], "--raw-size belongs to"),
    (["p.png", "--on-change"], "--on-change belongs to"),
    (["-", "--raw-size", "2by2"], "WIDTHxHEIGHT"), (["-", "p.png"], "goes alone"),
    (["-", "--frame", "0"], "--frame chooses"),
    (["clip.mp4", "--raw-size", "2x2"], "tells its pictures' size"),
  ])
  func refusesWhatMakesNoSense(arguments: [String], hint: String) throws {
    let place = try TemporaryDirectory()
    try place.write(Self.png(0), to: "p.png")
    let run = try Self.detect(arguments, ["--out", "x"], in: place)
    #expect(run.status == 64 && run.error.contains(hint), "\(run.error)")
  }

  /// A depth camera's export: pictures, depths of 5000 units a meter, a camera file, and no poses.
  @Test func pictureAndDepthFoldersWithOneCamera() throws {
    let place = try TemporaryDirectory()
    for index in 0..<2 {
      try place.write(Self.png(index), to: "color/\(index).png")
      let depth = Plane(width: 64, height: 48, elements: [UInt16](repeating: 11_000, count: 64 * 48))
      try place.write(ImageCodec.encodePNG(depth), to: "depth/\(index).png")
    }
    try place.write(
      "{\"fx\": 100, \"fy\": 100, \"ppx\": 63.5, \"ppy\": 47.5, \"width\": 128, \"height\": 96}",
      to: "camera.json")
    let arguments =
      ["run", "color", "--depth-map", "depth", "--intrinsics", "camera.json", "--out"]
    let run = try CommandRun(
      arguments + ["-", "--depth-unit", "0.0002"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 0, "\(run.error)")
    let lines = try run.lines()
    #expect(lines.map { $0["name"]?.string } == ["0", "1"])
    let distances = lines.flatMap { $0["summary"]?["objects"]?.array ?? [] }.compactMap {
      $0["distanceMeters"]?.number
    }
    #expect(!distances.isEmpty && distances.allSatisfy { abs($0 - 2.2) < 0.01 }, "\(distances)")
    let notes = lines[0]["summary"]?["notes"]?.array?.compactMap(\.string) ?? []
    #expect(notes.contains { $0.hasPrefix("no pose: ") } && !notes.contains { $0.contains("--depth-unit") })
    let wrong = try CommandRun(arguments + ["out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(wrong.status == 0 && wrong.error.contains("--depth-unit"), "\(wrong.error)")
    #expect(!fileExists(place.file("out/sequence-objects.json")), "without poses nothing can be put together")
    let page = String(decoding: try place.read("out/00000/report.html"), as: UTF8.self)
    #expect(page.contains("no pose: positions are in the camera's own frame"))
    let none = try CommandRun(
      ["run", "color", "--depth-map", "depth", "--intrinsics", "nowhere.json", "--out", "x"], in: place.path)
    #expect(none.status == 66, "\(none.error)")
  }
}
