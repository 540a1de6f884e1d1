import FileFormats
import Foundation
import TestSupport
import Testing

/// Files of another frame of the same size are refused, since nothing else would tell that their results are wrong.
@Suite struct OtherFrameTests {
  /// A sequence of two frames with the results of both.
  private static func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("seq"))
    let run = try CommandRun(
      ["run", "seq", "--out", "res", "--quiet"] + TinyNetwork.detectorOptions, in: place.path)
    try #require(run.status == 0, "\(run.error)")
    return place
  }

  @Test(arguments: [
    "place --detections res/00000/detections.json", "compose --detections res/00000/detections.json",
    "report res/00000", "place --detections res/00001/detections.json --fusion res/00000",
  ])
  func filesOfAnotherFrameAreRefused(_ line: String) throws {
    let place = try Self.place()
    let words = line.split(separator: " ").map(String.init) + ["--capture", "seq"]
    let run = try CommandRun(words + ["--frame", "1", "--out", "o.html"], in: place.path)
    let named = try CommandRun(words + ["--frame", "f1001", "--out", "o"], in: place.path)
    for run in [run, named] where !run.error.contains("results lie in a folder") {
      #expect(run.status == 65, "\(line): \(run.error)")
      #expect(
        run.error.contains("is of f1000") && run.error.contains("f1001"),
        "\(line): \(run.error)")
      #expect(run.error.contains("res/00000/"), "\(line): \(run.error)")
    }
    #expect(named.status == 65 && !fileExists(place.file("o")) && !fileExists(place.file("o.html")))
  }

  @Test func theFolderOfAllFramesIsNotThatOfOne() throws {
    let place = try Self.place()
    let run = try CommandRun(["report", "res", "--capture", "seq", "--frame", "1"], in: place.path)
    #expect(run.status == 65 && run.error.contains("give the folder of one: res/00000"), "\(run.error)")
  }

  /// A name that is not stated, and the folder's name of a single capture, tell no frames apart.
  @Test func filesWithoutANameAreTaken() throws {
    let place = try Self.place()
    var document = try #require(
      try JSONValue.read(path: place.file("res/00000/detections.json")).object)
    document["image"] = nil
    try place.write(JSONValue.object(document).serialized(), to: "res/00000/unnamed.json")
    let unnamed = try CommandRun(
      [
        "place", "--detections", "res/00000/unnamed.json", "--capture", "seq", "--frame", "1", "--out", "p",
      ], in: place.path)
    #expect(unnamed.status == 0, "\(unnamed.error)")
    try FileManager.default.copyItem(atPath: place.file("seq/f1000"), toPath: place.file("moved"))
    let moved = try CommandRun(
      ["compose", "--detections", "res/00000/detections.json", "--capture", "moved", "--out", "c"],
      in: place.path)
    #expect(moved.status == 0, "\(moved.error)")
  }
}
