import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Pictures as small and as long as they come, through the whole command.
@Suite struct EdgePictureTests {
  private static func picture(_ width: Int, _ height: Int) throws -> [UInt8] {
    try ImageCodec.encodePNG(RGBImage(width: width, height: height, color: .green))
  }

  @Test(arguments: [(1, 1), (20_000, 1), (1, 20_000)])
  func isDetectedOrRefused(width: Int, height: Int) throws {
    let place = try TemporaryDirectory()
    try place.write(Self.picture(width, height), to: "p.png")
    let found = try CommandRun(
      ["detect", "p.png", "--out", "d"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(found.status == 0, "\(found.error)")
    let depth = try CommandRun(["depth", "p.png", "--out", "r"] + TinyNetwork.depthOptions, in: place.path)
    if width == height {
      #expect(depth.status == 0, "\(depth.error)")
    } else {
      // No network's input has this shape.
      #expect(depth.status == 65, "\(depth.error)")
      #expect(depth.error.contains("\(width)x\(height)"), "\(depth.error)")
    }
  }

  /// A panorama among other pictures is named, with what would help, and the others are done.
  @Test func aPanoramaEndsNoRun() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.picture(1200, 90), to: "shots/panorama.png")
    try place.write(Self.picture(64, 48), to: "shots/plain.png")
    let depth = ["--depth", TinyNetwork.depth, "--depth-size", "560"]
    let run = try CommandRun(
      ["run", "shots", "--out", "out"] + TinyNetwork.detectorOptions + depth, in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("panorama.png: a 1200x90 picture is too elongated"), "\(run.error)")
    #expect(run.error.contains("--depth-size 560; give 490 or less"), "\(run.error)")
    let summary = try JSONValue.read(path: place.file("out/panorama/summary.json"))
    #expect(summary["notes"]?.array?.first?.string?.contains("too elongated") == true)

    let some = try CommandRun(["depth", "shots", "--out", "some"] + depth, in: place.path)
    #expect(some.status == 65 && some.error.contains("1 of 2 pictures could not be read"), "\(some.error)")
    #expect(try NPYArray.read(path: place.file("some/plain/relative.npy")).shape == [48, 64])
    let one = try CommandRun(["depth", "shots/panorama.png", "--out", "one"] + depth, in: place.path)
    #expect(one.status == 65 && one.error.contains("panorama.png"), "\(one.error)")
    let less = depth.dropLast() + ["490"]
    #expect(try CommandRun(["depth", "shots", "--out", "less"] + less, in: place.path).status == 0)
  }

  @Test(arguments: [
    ("8BPS", "a Photoshop document"), ("II+\0", "a TIFF picture of more than 4 GiB"),
    ("0000JXL \r\n", "a JPEG XL picture"), ("GIF89a", "a GIF picture"),
  ])
  func otherFormatsAreToldByTheirNames(bytes: String, name: String) throws {
    let place = try TemporaryDirectory()
    try place.write(bytes, to: "p.jpg")
    let run = try CommandRun(["detect", "p.jpg", "--out", "d"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 65)
    #expect(run.error.contains("p.jpg: is \(name)"), "\(run.error)")
  }

  @Test func threadsBeyondTheProcessors() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.picture(40, 30), to: "p.png")
    for threads in ["1", "64"] {
      let run = try CommandRun(
        ["detect", "p.png", "--out", threads, "--threads", threads] + TinyNetwork.detectorOptions,
        in: place.path)
      #expect(run.status == 0, "\(run.error)")
    }
    #expect(try digests(of: place.file("1")) == digests(of: place.file("64")))
  }
}
