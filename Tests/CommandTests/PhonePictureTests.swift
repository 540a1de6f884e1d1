import Foundation
import TestSupport
import Testing

/// The files of an iPhone by the command line: its own photographs and Record3D's recordings.
@Suite struct PhonePictureTests {
  private static func golden(_ name: String, of module: String) -> String {
    "\(SharedData.packageRoot)/Tests/\(module)Tests/Goldens/\(name)"
  }

  private static let photograph = golden("phone_parts.heic", of: "Imaging")
  /// Whether libheif is here.
  private static let readsHEIC: Bool = {
    let run = try? CommandRun(["capture", "check", photograph])
    return run?.status == 0
  }()

  @Test(.enabled(if: readsHEIC, "libheif1 is not installed"))
  func aPhotographWhateverItIsCalled() throws {
    let place = try TemporaryDirectory()
    try place.write(Data(contentsOf: URL(fileURLWithPath: Self.photograph)).map { $0 }, to: "IMG_0001.jpg")
    let check = try CommandRun(["capture", "check", "IMG_0001.jpg"], in: place.path)
    #expect(
      check.status == 0 && (check.output + check.error).contains("a portrait matte, a gain map, a depth map"))
    #expect(check.output.contains("camera of 1 frame: not known; --fov DEGREES"), "\(check.output)")
    let camera = try CommandRun(["capture", "check", Self.golden("phone_turned.heic", of: "Imaging")])
    #expect(camera.output.contains(" pixels, from EXIF's focal length"), "\(camera.output)")
    let run = try CommandRun(
      ["run", "IMG_0001.jpg", "--out", "out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(FileManager.default.fileExists(atPath: place.file("out/results.jpg")))
  }

  @Test func anAnimationIsNoDamagedFile() throws {
    let place = try TemporaryDirectory()
    let animation = URL(fileURLWithPath: Self.golden("phone_animation.webp", of: "Imaging"))
    try place.write(Data(contentsOf: animation).map { $0 }, to: "a.webp")
    let run = try CommandRun(
      ["detect", "a.webp", "--out", "out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 65 && run.error.contains("an animation of several pictures"), "\(run.error)")
    #expect(!run.error.contains("sound file"))
  }

  @Test func aRecordingOfRecord3D() throws {
    let place = try TemporaryDirectory()
    let recording = Self.golden("lidar.r3d", of: "AppCore")
    let run = try CommandRun(
      ["run", recording, "--out", "out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 0, "\(run.error)")
    let frames = try FileManager.default.contentsOfDirectory(atPath: place.file("out")).filter {
      FileManager.default.fileExists(atPath: place.file("out/\($0)/objects.json"))
    }
    #expect(frames.sorted() == ["00000", "00001", "00002"])
  }
}
