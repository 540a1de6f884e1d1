import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// The committed reference files of this module's tests.
enum Goldens {
  static let folder = SharedData.packageRoot + "/Tests/ImagingTests/Goldens"

  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  static func picture(_ name: String) throws -> RGBImage { try ImageCodec.decode(path: path(name)).image }

  static func floats(_ name: String) throws -> [Float] { try NPYArray.read(path: path(name)).floats() }

  /// The picture all resampling goldens were made from.
  static func source() throws -> RGBImage { try picture("source.png") }

  /// Expects a drawn picture to equal the golden byte for byte.
  ///
  /// With `ARDF_RECORD_GOLDENS=1` in the environment the golden is replaced by the picture instead:
  /// look at it before committing.
  static func expect(
    _ image: RGBImage, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    if ProcessInfo.processInfo.environment["ARDF_RECORD_GOLDENS"] == "1" {
      try AtomicFile.write(ImageCodec.encodePNG(image), to: path(name), overwrite: true)
    }
    let golden = try picture(name)
    try #require(image.size == golden.size, sourceLocation: sourceLocation)
    let wrong = zip(image.pixels, golden.pixels).filter { $0 != $1 }.count
    #expect(wrong == 0, "\(wrong) bytes differ from \(name)", sourceLocation: sourceLocation)
  }
}
