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
}
