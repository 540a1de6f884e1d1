import Foundation
import TestSupport
import Testing

/// A robot's recording, by the command line.
@Suite struct RobotRecordingTests {
  private static let recording = "\(SharedData.packageRoot)/Tests/AppCoreTests/Goldens/plain.mcap"

  @Test func framesOfARecording() throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(
      ["run", Self.recording, "--out", "out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("color /image_raw, depth /depth_image"))
    for frame in ["00000", "00001", "00002"] {
      #expect(FileManager.default.fileExists(atPath: place.file("out/\(frame)/objects.json")))
    }
    // The recording tells where its camera stood, so objects are put together.
    #expect(FileManager.default.fileExists(atPath: place.file("out/sequence-objects.json")))
  }

  @Test func whatIsCheckedAndConverted() throws {
    let place = try TemporaryDirectory()
    let check = try CommandRun(["capture", "check", "\(Self.recording):/image_raw"], in: place.path)
    // Its computed depth is no scene's.
    #expect(check.status == 1)
    for line in ["layout rosBag", "color /image_raw, depth /depth_image", "poses in world, by /slam/pose"] {
      #expect(check.output.contains(line), "\(check.output)")
    }
    let convert = try CommandRun(["capture", "convert", Self.recording, "--out", "native"], in: place.path)
    #expect(convert.status == 0, "\(convert.error)")
    #expect(try CommandRun(["capture", "check", "native"], in: place.path).output.contains("layout native"))
  }

  @Test func aCameraThatIsNotThere() throws {
    let run = try CommandRun(["capture", "check", "\(Self.recording):/front"])
    #expect(run.status == 65 && run.error.contains("/depth_image (depth)"), "\(run.error)")
  }

  /// A recording without poses: nothing is put together, and what effects lack is said.
  @Test func replayWithoutPoses() throws {
    let place = try TemporaryDirectory()
    let path = "\(SharedData.packageRoot)/Tests/AppCoreTests/Goldens/rosbag2"
    func replay(_ out: String, _ more: [String]) throws -> CommandRun {
      try CommandRun(
        ["replay", path, "--at", "0", "--max-speed", "--frames", "none", "--out", out]
          + TinyNetwork.detectorOptions + more, in: place.path)
    }
    let run = try replay("out", [])
    if run.error.contains("libsqlite3-0") { return }
    #expect(run.status == 0 && !run.error.contains("holds no poses"), "\(run.error)")
    #expect(FileManager.default.fileExists(atPath: place.file("out/replay.json")))
    #expect(!FileManager.default.fileExists(atPath: place.file("out/sequence-objects.json")))
    #expect(try replay("smoke", ["--effect", "bed=smoke"]).error.contains("holds no poses"))
  }
}
