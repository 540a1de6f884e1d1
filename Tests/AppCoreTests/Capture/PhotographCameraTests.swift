import AppCore
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Cameras of plain pictures, which no capture states.
@Suite struct PhotographCameraTests {
  private static let rounding = 1e-9

  /// A 32x24 picture, with EXIF's focal length for 35 mm film where one is given.
  private func frame(_ camera: PhotographCamera?, focalLength: UInt16? = nil) throws -> CapturedFrame {
    let fixture = try CaptureFixture.empty()
    var bytes = try ImageCodec.encodeJPEG(
      RGBImage(width: 32, height: 24, pixels: [UInt8](repeating: 9, count: 2304)))
    if let focalLength { bytes = Self.withEXIF(bytes, focalLength: focalLength) }
    let path = fixture.directory.file("photo.jpg")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try CaptureReader.open(path, photographs: camera).frame(at: 0)
  }

  /// Big-endian: a directory with a pointer to EXIF's, which holds tag 0xA405.
  private static func withEXIF(_ jpeg: [UInt8], focalLength: UInt16) -> [UInt8] {
    let focal = [UInt8(focalLength >> 8), UInt8(focalLength & 255)]
    let tiff: [UInt8] =
      [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
      + [0, 1, 0xa4, 0x05, 0, 3, 0, 0, 0, 1] + focal + [0, 0, 0, 0, 0, 0]
    let payload = Array("Exif\0\0".utf8) + tiff
    return jpeg[..<2] + [0xff, 0xe1, 0, UInt8(payload.count + 2)] + payload + jpeg[2...]
  }

  @Test func aFieldOfViewSpansTheLongerSide() throws {
    let camera = try #require(try frame(.fieldOfView(90)).intrinsics)
    #expect(abs(camera.fx - 16) < Self.rounding && camera.fx == camera.fy)
    #expect(camera.cx == 15.5 && camera.cy == 11.5 && camera.imageSize == PixelSize(width: 32, height: 24))
  }

  @Test func filmsFocalLengthIsByTheDiagonals() throws {
    let camera = try #require(try frame(.exif, focalLength: 26).intrinsics)
    // The diagonal is 40 pixels, and that of film 43.2666 mm.
    #expect(abs(camera.fx - 26 * 40 / 43.266_615_305_567_87) < 1e-6 && camera.fx == camera.fy)
    #expect(try frame(.exif).intrinsics == nil)
    #expect(try frame(.exif, focalLength: 65_535).intrinsics == nil)
    #expect(try frame(nil, focalLength: 26).intrinsics == nil)
  }

  @Test func aStatedCameraIsForPicturesOfItsShape() throws {
    let stated = StatedCamera(fx: 56, fy: 56, cx: 31.5, cy: 23.5, size: PixelSize(width: 64, height: 48))
    let camera = try #require(try frame(.stated(stated), focalLength: 26).intrinsics)
    #expect(abs(camera.fx - 28) < Self.rounding && abs(camera.cx - 15.5) < Self.rounding)
    let square = StatedCamera(fx: 56, fy: 56, cx: 31.5, cy: 31.5, size: PixelSize(width: 64, height: 64))
    #expect(throws: CaptureError.self) { try frame(.stated(square)) }
    // The bounds of every frame's camera, without depth too.
    for focal in [1e-300, 1e-3, 1e9] {
      let beyond = StatedCamera(fx: focal, fy: focal, cx: 0, cy: 0)
      #expect(throws: CaptureError.self) { try frame(.stated(beyond)) }
    }
  }
}
