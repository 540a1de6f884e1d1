import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf demo`, on the capture that comes with the program.
@Suite struct DemoTests {
  private static let files = [
    "annotated.jpg", "detections.json", "objects.json", "points.ply", "report.html", "results.jpg",
    "scene.glb",
    "scene.json", "summary.json",
  ]

  @Test func withoutADetectorItNamesTheCommandThatFetchesOne() throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(["demo"], in: place.path, environment: ["HOME": place.path])
    #expect(run.status == 66)
    for part in ["AGPL-3.0", "ardf weights get yolo11n-seg", "ardf demo --yolo FILE"] {
      #expect(run.error.contains(part), "\(run.error)")
    }
    #expect(try place.entries().isEmpty)
  }

  /// The network is random and finds nothing that means anything; every file is there all the same.
  @Test func writesPicturePageAndScene() throws {
    let place = try TemporaryDirectory()
    let arguments = ["demo", "--yolo", TinyNetwork.detector, "--depth", TinyNetwork.depth]
    let run = try CommandRun(arguments, in: place.path, environment: ["HOME": place.path])
    #expect(run.status == 0, "\(run.error)")
    for file in Self.files {
      #expect(FileManager.default.fileExists(atPath: place.file("ardf-demo/\(file)")), "\(file)")
    }
    for part in [
      "ardf-demo/results.jpg", "ardf-demo/report.html", "ardf-demo/scene.glb", "ardf run photo.jpg",
    ] {
      #expect(run.output.contains(part), "\(run.output)")
    }
    let again = try CommandRun(arguments, in: place.path, environment: ["HOME": place.path])
    #expect(again.status == 73)
    let replaced = try CommandRun(arguments + ["--force"], in: place.path, environment: ["HOME": place.path])
    #expect(replaced.status == 0, "\(replaced.error)")
  }

  /// The command that it prints does the same, from names that a shell would take apart too.
  @Test func theCommandThatItNamesGivesTheSameBytes() throws {
    let place = try TemporaryDirectory()
    let detector = place.file("it's a network.safetensors")
    try FileManager.default.copyItem(atPath: TinyNetwork.detector, toPath: detector)
    let demo = try CommandRun(
      ["demo", "--yolo", detector, "--out", "one"], in: place.path, environment: ["HOME": place.path])
    #expect(demo.status == 0, "\(demo.error)")
    let line = try #require(demo.error.split(separator: "\n").first { $0.hasPrefix("runs ardf ") })
    let command =
      "exec \"$0\" " + line.dropFirst("runs ardf ".count).replacing("--out one", with: "--out two")
    let shell = try CommandRun(
      ["-c", command, CommandRun.executable], in: place.path, environment: ["HOME": place.path],
      program: "/bin/sh")
    #expect(shell.status == 0, "\(shell.error)")
    for file in ["objects.json", "results.jpg", "scene.glb"] {
      #expect(try place.read("one/\(file)") == place.read("two/\(file)"), "\(file)")
    }
  }

  /// Installed beside a capture of its own, the program takes that one, and names the weights as they were given; without
  /// any it says what is missing.
  @Test func itsCaptureLiesBesideTheProgram() throws {
    let place = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: place.file("bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: CommandRun.executable, toPath: place.file("bin/ardf"))
    try TinyNetwork.writeConverted(TinyNetwork.detector, in: place)
    let arguments = ["demo", "--yolo", "mine.pt"]
    let without = try CommandRun(
      arguments, in: place.path, environment: ["HOME": place.path], program: place.file("bin/ardf"))
    #expect(without.status == 66 && without.error.contains("share/ardf/captures/bedroom"), "\(without.error)")
    try SyntheticCapture.write(to: place.file("share/ardf/captures/bedroom"))
    let with = try CommandRun(
      arguments, in: place.path, environment: ["HOME": place.path], program: place.file("bin/ardf"))
    #expect(with.status == 0, "\(with.error)")
    #expect(with.error.contains(" --yolo mine.pt "), "\(with.error)")
    #expect(!with.error.contains(".cache"), "\(with.error)")
    let summary = try JSONValue.read(path: place.file("ardf-demo/detections.json"))
    #expect(summary["imageSize"] == [.integer(SyntheticCapture.width), .integer(SyntheticCapture.height)])
  }

  @Test func standardOutputIsNoFolder() throws {
    let run = try CommandRun(["demo", "--out", "-"])
    #expect(run.status == 64 && run.error.contains("folder"), "\(run.error)")
  }

  @Test(.enabled(if: SharedData.exists("weights/yolo11n-seg.pt"), "no ../shared/weights"))
  func findsTheBedAndTheTeddyBears() throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(
      ["demo", "--yolo", SharedData.path("weights/yolo11n-seg.pt")], in: place.path,
      environment: ["HOME": place.path])
    #expect(run.status == 0, "\(run.error)")
    let objects = try JSONValue.read(path: place.file("ardf-demo/summary.json"))["objects"]?.array ?? []
    #expect(objects.compactMap { $0["className"]?.string } == ["bed", "teddy bear", "teddy bear"])
    #expect(objects.allSatisfy { $0["distanceSource"]?.string == "lidar" })
  }
}
