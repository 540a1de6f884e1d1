import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// `--tile`.
@Suite struct TileCommandTests {
  private static func capture(in place: borrowing TemporaryDirectory) throws {
    try SyntheticCapture.write(to: place.file("capture"))
  }

  @Test func detectAndRunLookAtTiles() throws {
    let place = try TemporaryDirectory()
    try Self.capture(in: place)
    for command in ["detect", "run"] {
      let run = try CommandRun(
        [command, place.file("capture"), "--out", place.file(command)] + TinyNetwork.detectorOptions
          + (command == "run" ? TinyNetwork.depthOptions : []) + ["--tile", "64", "--overlap", "0.25"])
      #expect(run.status == 0, "\(run.error)")
      let document = try JSONValue.read(path: place.file("\(command)/detections.json"))
      #expect(document["model"]?["tiles"] == ["side": 64, "overlap": 0.25])
      #expect(document["detections"]?.array?.isEmpty == false)
    }
    let usual = try CommandRun(
      ["detect", place.file("capture"), "--out", place.file("usual")] + TinyNetwork.detectorOptions)
    #expect(usual.status == 0)
    let document = try JSONValue.read(path: place.file("usual/detections.json"))
    #expect(document["model"]?["tiles"] == nil)
    #expect(
      try JSONValue.read(path: place.file("detect/detections.json"))["detections"] != document["detections"])
  }

  /// Arguments, and the message that they get.
  private static let wrong: [([String], String)] = [
    (["--tile", "0"], "--tile"), (["--tile", "31"], "32"), (["--tile", "640", "--overlap", "1"], "0.9"),
    (["--tile", "640", "--overlap", "nan"], "--overlap"), (["--overlap", "0.2"], "--tile"),
  ]

  @Test(arguments: wrong.indices) func whatIsWrongIsTold(index: Int) throws {
    let place = try TemporaryDirectory()
    try Self.capture(in: place)
    let run = try CommandRun(
      ["detect", place.file("capture"), "--out", place.file("out")] + TinyNetwork.detectorOptions
        + Self.wrong[index].0)
    #expect(run.status == 64 && run.error.contains(Self.wrong[index].1), "\(run.error)")
  }

  @Test func aClassifierSeesPicturesAsAWhole() throws {
    let place = try TemporaryDirectory()
    try Self.capture(in: place)
    let weights = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/yolo11-cls-least.safetensors"
    let run = try CommandRun([
      "detect", place.file("capture"), "--yolo", weights, "--imgsz", "64", "--tile", "64", "--out", "-",
    ])
    #expect(run.status == 64 && run.error.contains("classifier"), "\(run.error)")
  }
}
