import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// TIFF, JPEG 2000, BMP and PNM against what Pillow shows of them (`make-picture-goldens.py`).
///
/// A format whose library is not there is skipped.
@Suite struct KeptPictureTests {
  static let pictures = [
    "plain.tif", "lzw.tif", "deflate.tif", "gray.tif", "palette.tif", "turned.tif", "plain.jp2", "gray.jp2",
    "stream.jp2", "plain.bmp", "palette.bmp", "bits.bmp", "words.bmp", "masks.bmp", "plain.ppm", "gray.pgm",
    "bits.pnm",
    "text.ppm",
  ]
  static let readable = pictures.filter(isReadable)

  private static func bytes(_ name: String) throws -> [UInt8] {
    try FileBytes.contents(of: Goldens.path("kept_\(name)"))
  }

  private static func isReadable(_ name: String) -> Bool {
    do throws(ImageError) {
      _ = try ImageCodec.header(path: Goldens.path("kept_\(name)"))
    } catch {
      if case .missingLibrary = error.defect { return false }
    }
    return true
  }

  /// Says that the others leave formats out.
  @Test(.enabled(if: readable.count == pictures.count, "libtiff6 or libopenjp2-7 is not installed"))
  func allAreReadHere() throws {
    for name in Self.pictures {
      #expect(try ImageCodec.header(Self.bytes(name)).size == PixelSize(width: 33, height: 20), "\(name)")
    }
  }

  @Test(arguments: readable)
  func equalsPillow(name: String) throws {
    let expected = try Goldens.picture("kept_\(name).expected.png")
    let stored = try ImageCodec.decode(Self.bytes(name))
    let image = stored.upright()
    try #require(image.size == expected.size)
    // Colors of 5 and 6 bits are rounded here and cut there.
    let most = name == "words.bmp" ? 1 : 0
    #expect(zip(image.pixels, expected.pixels).allSatisfy { abs(Int($0) - Int($1)) <= most })
    #expect(try ImageCodec.decodeRGBA(Self.bytes(name)) == RGBAImage(stored.image))
  }

  @Test(.enabled(if: isReadable("turned.tif"), "libtiff6 is not installed"))
  func aTurnIsRead() throws {
    #expect(try ImageCodec.header(Self.bytes("turned.tif")).orientation == .right)
    #expect(
      try ImageCodec.decode(Self.bytes("turned.tif")).upright().size == PixelSize(width: 20, height: 33))
  }

  @Test(arguments: readable)
  func cutAnywhere(name: String) throws {
    let bytes = try Self.bytes(name)
    for count in stride(from: 1, to: bytes.count - 40, by: 23) {
      let cut = Array(bytes.prefix(count))
      // What ends before the last rows may still be a picture to a library; it is one of the same size then.
      if let image = try? ImageCodec.decode(cut).image {
        #expect(image.size == PixelSize(width: 33, height: 20), "\(count)")
      }
    }
  }

  @Test(arguments: readable)
  func sizesAreCheckedBeforeDecoding(name: String) throws {
    let limits = ImageLimits(maxPixels: 33 * 20 - 1, maxFileBytes: 1 << 20)
    let error = try #require(
      #expect(throws: ImageError.self) { try ImageCodec.decode(Self.bytes(name), limits: limits) })
    guard case .tooManyPixels(33, 20, limits.maxPixels) = error.defect else {
      Issue.record("\(error)")
      return
    }
  }

  /// A raw file's first picture is a preview, not the photograph.
  @Test func aRawFileIsNoPicture() throws {
    var bytes = try Self.bytes("plain.tif")
    let directory = Int(bytes[4]) | Int(bytes[5]) << 8 | Int(bytes[6]) << 16
    // The first tag becomes the kind of the picture, with the bit of a preview.
    bytes.replaceSubrange(directory + 2..<directory + 14, with: [254, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0])
    let error = #expect(throws: ImageError.self) { try ImageCodec.header(bytes) }
    #expect("\(error!)".contains("a raw file of a camera"))
  }

  /// The library writes as many rows as it reads that there are.
  @Test func aHeightThatIsStatedTwice() throws {
    let sound = try Self.bytes("plain.tif")
    let directory = Int(sound[4]) | Int(sound[5]) << 8 | Int(sound[6]) << 16
    for entry in 2..<Int(sound[directory]) {
      for (tag, value) in [(UInt8(0), UInt8(1)), (1, 1), (0, 60), (1, 60)] {
        var bytes = sound
        // A second width or height of one value.
        bytes.replaceSubrange(
          directory + 2 + 12 * entry..<directory + 14 + 12 * entry,
          with: [tag, 1, 3, 0, 1, 0, 0, 0, value, 0, 0, 0])
        if let found = try? ImageCodec.decode(bytes) {
          #expect(found.upright().size == PixelSize(width: 33, height: 20))
        }
      }
    }
    // The library takes no list for a height, whatever stands in its place.
    var listed = sound
    listed[directory + 2 + 12 + 4] = 2
    _ = try? ImageCodec.decode(listed)
  }

  @Test func whatABitmapClaims() throws {
    let bytes = try Self.bytes("plain.bmp")
    for (place, value) in [(30, UInt8(1)), (28, 7), (10, 0xFF)] {
      var other = bytes
      other[place] = value
      #expect(throws: ImageError.self, "byte \(place)") { try ImageCodec.decode(other) }
    }
    var high = bytes
    high.replaceSubrange(22..<26, with: [0, 0, 0, 0x80])
    #expect(throws: ImageError.self) { try ImageCodec.decode(high) }
  }
}
