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
