import Imaging
import Testing

/// EXIF data written by hand, good and bad, and pictures that carry them.
enum ExifSamples {
  /// A TIFF structure with one directory: a maker's tag before and after the orientation.
  static func tiff(
    orientation: UInt16, littleEndian: Bool, type: UInt16 = 3, count: UInt32 = 1, magic: UInt16 = 42,
    directory: UInt32 = 8, entries: UInt16 = 3
  ) -> [UInt8] {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      let bigEndian = (0..<Number.bitWidth / 8).reversed().map {
        UInt8(truncatingIfNeeded: number >> ($0 * 8))
      }
      return littleEndian ? bigEndian.reversed() : bigEndian
    }
    let order = Array((littleEndian ? "II" : "MM").utf8)
    let maker = bytes(UInt16(0x010F)) + bytes(UInt16(2)) + bytes(UInt32(3)) + Array("me\0\0".utf8)
    let turn =
      bytes(UInt16(0x0112)) + bytes(type) + bytes(count) + bytes(orientation) + bytes(UInt16(0))
    let unit = bytes(UInt16(0x0128)) + bytes(UInt16(3)) + bytes(UInt32(1)) + bytes(UInt16(2)) + [0, 0]
    return order + bytes(magic) + bytes(directory) + bytes(entries) + maker + turn + unit
      + bytes(UInt32(0))
  }

  /// A TIFF structure whose EXIF directory says the focal length for 35 mm film, after one for the camera's own.
  static func tiff(
    focalLengthIn35mmFilm focal: UInt16, littleEndian: Bool, directory: UInt32 = 26, type: UInt16 = 3
  ) -> [UInt8] {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      let bigEndian = (0..<Number.bitWidth / 8).reversed().map {
        UInt8(truncatingIfNeeded: number >> ($0 * 8))
      }
      return littleEndian ? bigEndian.reversed() : bigEndian
    }
    let pointer = bytes(UInt16(0x8769)) + bytes(UInt16(4)) + bytes(UInt32(1)) + bytes(directory)
    let own = bytes(UInt16(0x920a)) + bytes(UInt16(5)) + bytes(UInt32(1)) + bytes(UInt32(0))
    let film = bytes(UInt16(0xa405)) + bytes(type) + bytes(UInt32(1)) + bytes(focal) + bytes(UInt16(0))
    return Array((littleEndian ? "II" : "MM").utf8) + bytes(UInt16(42)) + bytes(UInt32(8)) + bytes(UInt16(1))
      + pointer + bytes(UInt32(0)) + bytes(UInt16(2)) + own + film + bytes(UInt32(0))
  }

  /// A JPEG with an APP1 segment right after its start marker.
  static func jpeg(_ image: RGBImage, exif: [UInt8]) throws -> [UInt8] {
    let plain = try ImageCodec.encodeJPEG(image)
    let payload = Array("Exif\0\0".utf8) + exif
    let length = payload.count + 2
    return plain[..<2] + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + payload + plain[2...]
  }

  /// A PNG with an eXIf chunk before its picture data.
  static func png(_ image: RGBImage, exif: [UInt8]) throws -> [UInt8] {
    try PNGSamples.inserting(PNGSamples.chunk("eXIf", exif), in: ImageCodec.encodePNG(image))
  }

  /// EXIF data that break a rule.
  struct Corrupt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
  }

  static let corrupt: [Corrupt] = [
    Corrupt(testDescription: "no bytes", bytes: []),
    Corrupt(testDescription: "half a header", bytes: Array("II*".utf8)),
    Corrupt(
      testDescription: "unknown byte order",
      bytes: Array("XX".utf8) + tiff(orientation: 6, littleEndian: true)[2...]),
    Corrupt(testDescription: "wrong magic", bytes: tiff(orientation: 6, littleEndian: true, magic: 43)),
    Corrupt(
      testDescription: "directory beyond the end",
      bytes: tiff(orientation: 6, littleEndian: false, directory: 0xFFFF_FFF0)),
    Corrupt(
      testDescription: "directory inside the header",
      bytes: tiff(orientation: 6, littleEndian: true, directory: 2)),
    Corrupt(
      testDescription: "directory cut short", bytes: Array(tiff(orientation: 6, littleEndian: true)[..<24])),
    Corrupt(testDescription: "orientation 0", bytes: tiff(orientation: 0, littleEndian: true)),
    Corrupt(testDescription: "orientation 9", bytes: tiff(orientation: 9, littleEndian: false)),
    Corrupt(
      testDescription: "orientation of another type", bytes: tiff(orientation: 6, littleEndian: true, type: 4)
    ),
    Corrupt(testDescription: "two orientations", bytes: tiff(orientation: 6, littleEndian: true, count: 2)),
    Corrupt(testDescription: "no entries", bytes: tiff(orientation: 6, littleEndian: true, entries: 0)),
  ]
}
