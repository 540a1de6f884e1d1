import AppCore
import FileFormats
import Foundation
import Imaging
import OutputFolders
import TestSupport
import Testing

@Suite(.serialized) struct ReplayTests {
  static let frames = 4

  static func sequence() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: frames, to: place.file("clip"))
    return place
  }

  static func replay(_ place: TemporaryDirectory, _ out: String, _ more: [String]) throws -> CommandRun {
    try CommandRun(["replay", "clip", "--max-speed", "--out", out] + more, in: place.path)
  }

  @Test func everyFrameIsShownAndWritten() throws {
    let place = try Self.sequence()
    let run = try Self.replay(place, "out", ["--frames", "png"])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "4 of 4 frames shown, 0 dropped, 0 detections\n")
    #expect(run.error.contains("Speed: "))
    let report = try JSONValue.read(path: place.file("out/replay.json"))
    #expect(report["schema"] == "ardf.replay/1" && report["pacing"] == "max-speed")
    #expect(report["loop"]?["framesShown"] == 4 && report["loop"]?["framesDropped"] == 0)
    #expect(report["frames"]?.array?.map { $0["name"]?.string } == ["f1000", "f1001", "f1002", "f1003"])
    let view = try ImageCodec.decode(path: place.file("out/frames/00002.png")).image
    let plain = SyntheticCapture.picture(phase: 2)
    #expect(view.width == plain.width && view.height == plain.height)
    #expect(view[100, 90] == plain[100, 90], "away from the figures the picture is as it was")
    #expect(!FileManager.default.fileExists(atPath: place.file("out/sequence-objects.json")))
  }

  /// Where the sensor read nothing, objects are measured on depth that is guided by it.
  @Test func objectsAreMeasuredOnGuidedDepthByDefault() throws {
    let place = try Self.sequence()
    let unsure = NPYArray(
      shape: [48, 64], .uint8((0..<48 * 64).map { 10..<30 ~= $0 % 64 ? 0 : 2 })
    ).encoded()
    for name in ["f1000", "f1001"] { try place.write(unsure, to: "clip/\(name)/confidence.npy") }
    func objects(_ name: String, _ more: [String]) throws -> [UInt8] {
      let run = try Self.replay(
        place, name,
        ["--frames", "none", "--at", "0", "--at", "1"] + TinyNetwork.detectorOptions
          + TinyNetwork.depthOptions + more)
      #expect(run.status == 0, "\(run.error)")
      return try place.read("\(name)/sequence-objects.json")
    }
    let usual = try objects("usual", [])
    #expect(try usual == objects("guided", ["--fusion", "guided"]))
    #expect(try usual != objects("fit", ["--fusion", "fit"]))
  }

  /// Effects are placed once, in the frame of detection, and drawn from then on.
  @Test func effectsArePlacedOnceAndDrawnFromThenOn() throws {
    let place = try Self.sequence()
    let options = TinyNetwork.detectorOptions + ["--frames", "png", "--at", "1", "--effect", "0=debugCube"]
    let first = try Self.replay(place, "a", options + ["--threads", "1"])
    #expect(first.status == 0, "\(first.error)")
    let second = try Self.replay(place, "b", options + ["--threads", "3"])
    #expect(second.status == 0)
    #expect(try Self.replay(place, "plain", ["--frames", "png"]).status == 0)
    let (a, b) = (try digests(of: place.file("a")), try digests(of: place.file("b")))
    for number in 0..<Self.frames {
      let name = "frames/0000\(number).png"
      #expect(a[name] != nil && a[name] == b[name], "the same bytes every time")
    }
    #expect(a["sequence-objects.json"] == b["sequence-objects.json"])
    let report = try JSONValue.read(path: place.file("a/replay.json"))
    #expect(report["loop"]?["detections"] == 1)
    #expect(report["effects"]?.array?.count == 1)
    #expect(report["effects"]?[0]?["frame"] == "f1001")
    func picture(_ run: String, _ number: Int) throws -> RGBImage {
      try ImageCodec.decode(path: place.file("\(run)/frames/0000\(number).png")).image
    }
    #expect(try picture("a", 0) == picture("plain", 0), "before the detection nothing is drawn")
    #expect(try picture("a", 3) != picture("plain", 3))
    let objects = try JSONValue.read(path: place.file("a/sequence-objects.json"))
    #expect(objects["schema"] == "ardf.sequence-objects/1")
    #expect(objects["objects"]?.array?.isEmpty == false)
  }

  @Test func inRealTimeTheLoopKeepsTheTimestamps() throws {
    let place = try Self.sequence()
    let arguments = ["replay", "clip", "--frame", "0", "--frame", "1", "--out", "-", "--frames", "none"]
    var run = try CommandRun(arguments + ["--max-speed"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
    let waits = try Waiting.takes(atLeast: .seconds(1)) { run = try CommandRun(arguments, in: place.path) }
    #expect(run.status == 0, "\(run.error)")
    #expect(waits, "a second lies between the two frames")
    #expect(try run.json()["loop"]?["framesShown"] == 2)
    #expect(try run.json()["pacing"] == "timestamps")
  }

  /// At a rate there are as many frames, and those read beforehand are the same frames.
  @Test func framesComeAtTheRateAsked() throws {
    let place = try Self.sequence()
    let options = ["--rate", "50", "--repeat", "3", "--frames", "png"]
    let paced = try CommandRun(["replay", "clip", "--out", "paced"] + options, in: place.path)
    #expect(paced.status == 0, "\(paced.error)")
    let report = try JSONValue.read(path: place.file("paced/replay.json"))
    #expect(report["loop"]?["framesSeen"] == 12)
    #expect(try Self.replay(place, "a", options).status == 0)
    #expect(try Self.replay(place, "b", options + ["--preload"]).status == 0)
    for number in [0, 5, 11] {
      let name = number < 10 ? "frames/0000\(number).png" : "frames/000\(number).png"
      #expect(try place.read("a/\(name)") == place.read("b/\(name)"))
    }
  }

  @Test func wishesThatCannotBeMetEndWithOne() throws {
    let place = try Self.sequence()
    let run = try Self.replay(
      place, "out", TinyNetwork.detectorOptions + ["--frames", "none", "--effect", "unicorn=smoke"])
    #expect(run.status == 1)
    #expect(run.error.contains("effects were not placed: unicorn=smoke"))
    #expect(try JSONValue.read(path: place.file("out/replay.json"))["unplaced"] == ["unicorn=smoke"])
  }

  @Test(arguments: [
    (["--detect-every", "often"], "give a time such as 0.3s"),
    (["--effect", "0=fire"], "no effect \"fire\""),
    (["--effect", "smoke"], "give OBJECT=EFFECT"), (["--drift"], "give --effect or --tap"),
    (["--detect-every", "1s", "--at", "0"], "exclude each other"),
    (["--repeat", "0"], "from 1 to 10000"),
    (["--rate", "0"], "from 0.01 to 1000"),
  ]) func usageIsExplained(_ options: [String], _ text: String) throws {
    let place = try Self.sequence()
    let run = try Self.replay(place, "out", options)
    #expect(run.status == 64)
    #expect(run.error.contains(text), "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("out")))
  }

  @Test func anAbsentFFmpegIsSaidBeforeAnyWork() throws {
    let place = try Self.sequence()
    let run = try Self.replay(place, "out", ["--video", "--ffmpeg", place.file("no-ffmpeg")])
    #expect(run.status == 66)
    #expect(run.error.contains("no-ffmpeg: no such file"))
  }

  @Test func anFFmpegThatFailsIsToldOnce() throws {
    let place = try Self.sequence()
    let run = try Self.replay(place, "out", ["--video", "--ffmpeg", "/bin/false"])
    #expect(run.status == 65)
    #expect(run.error.split(separator: "\n").count { $0.contains("ffmpeg") } <= 2, "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("out")))
  }

  @Test(.enabled(if: (try? FFmpeg()) != nil, "ffmpeg is not installed")) func aVideoIsWritten() throws {
    let place = try Self.sequence()
    let run = try Self.replay(place, "out", ["--video", "--ffmpeg", FFmpeg().path])
    #expect(run.status == 0, "\(run.error)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.file("out")).sorted()
        == [OutputRecord.fileName, "replay.json", "replay.mp4"])
    let film = try PictureFilm(video: place.file("out/replay.mp4"), ffmpeg: try FFmpeg())
    #expect(film.aspect == Double(SyntheticCapture.width) / Double(SyntheticCapture.height))
  }
}
