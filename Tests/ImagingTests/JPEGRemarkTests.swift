import Geometry
import Imaging
import Testing

/// JPEG files that libjpeg decodes with a warning, as OpenCV and Pillow do.
@Suite struct JPEGRemarkTests {
  /// All pixels are there, whatever libjpeg remarks on.
  @Test func remarksAreNoDamage() throws {
    let bytes = try ImageCodec.encodeJPEG(TestPictures.noise(width: 40, height: 24), quality: 80)
    let plain = try ImageCodec.decode(bytes).image
    let scan = try #require(marker(0xDA, in: bytes))
    let tables = try #require(marker(0xDB, in: bytes))
    var parameters = bytes
    parameters.replaceSubrange(scan + 11..<scan + 14, with: [0, 0, 0])
    var version = bytes
    version[11] = 2
    var both = version
    both.replaceSubrange(scan..<scan, with: [0, 7])
    both.replaceSubrange(tables..<tables, with: [1, 2, 3])
    both.removeLast(2)
    let adobe: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 9]
    func inserting(_ stray: [UInt8], at place: Int) -> [UInt8] {
      Array(bytes[..<place]) + stray + Array(bytes[place...])
    }
    let variants: [(String, [UInt8])] = [
      ("scan parameters", parameters), ("version", version),
      ("before tables", inserting([0x55], at: tables)), ("before the scan", inserting([0, 0, 1], at: scan)),
      ("after the scan", inserting([0, 0, 0], at: bytes.count - 2)),
      ("no end", bytes.dropLast(2)), ("half an end", bytes.dropLast(1)), ("several", both),
      ("transform", Array(bytes[..<2]) + adobe + Array(bytes[20...])),
    ]
    for (name, variant) in variants {
      #expect(try ImageCodec.decode(variant).image == plain, "\(name)")
      // Damage after a remark is no less damage.
      let start = try #require(marker(0xDA, in: variant))
      for cut in stride(from: start + 14, to: variant.count - 6, by: 11) {
        #expect(throws: ImageError.self, "\(name), \(cut) of \(variant.count)") {
          _ = try ImageCodec.decode(Array(variant.prefix(cut)))
        }
      }
    }
  }

  /// Orientation is read as pixels are: after stray bytes too.
  @Test func strayBytesHideNoOrientation() throws {
    let exif = ExifSamples.tiff(orientation: 6, littleEndian: true)
    let bytes = try ExifSamples.jpeg(TestPictures.gradient(width: 40, height: 30), exif: exif)
    let upright = try ImageCodec.decode(bytes).orientation
    let start = try #require(marker(0xE1, in: bytes))
    let stray = Array(bytes[..<start]) + [0xFF, 0xFE, 0, 2, 9, 9, 9] + Array(bytes[start...])
    #expect(upright != .up)
    #expect(try ImageCodec.decode(stray).orientation == upright)
  }

  /// The offset of a marker's first byte.
  private func marker(_ code: UInt8, in bytes: [UInt8]) -> Int? {
    bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == code }
  }
}
