/// Finds the orientation tag in EXIF data and believes nothing else in them.
///
/// Metadata that break a rule count as absent: they never fail the picture they came with.
enum ExifOrientation {
  private static let orientationTag = 0x0112
  private static let shortType = 3
  private static let entrySize = 12

  /// The EXIF value 1...8 in a JPEG's first `Exif` APP1 segment.
  static func value(inJPEG bytes: [UInt8]) -> Int? {
    let preamble = Array("Exif\0\0".utf8)
    let exif = JPEGStructure.header(bytes).segments.first { segment in
      segment.marker == JPEGStructure.application1 && segment.payload.starts(with: preamble)
    }
    return exif.flatMap { value(inTIFF: Array($0.payload.dropFirst(preamble.count))) }
  }

  /// The EXIF value 1...8 in a PNG's `eXIf` chunk.
  static func value(inPNG bytes: [UInt8]) -> Int? {
    PNGStructure.chunk("eXIf", in: bytes).flatMap { value(inTIFF: Array($0)) }
  }

  /// The EXIF value 1...8 in the first directory of a TIFF structure of either byte order.
  static func value(inTIFF bytes: [UInt8]) -> Int? {
    let isLittleEndian: Bool
    if bytes.starts(with: Array("II".utf8)) {
      isLittleEndian = true
    } else if bytes.starts(with: Array("MM".utf8)) {
      isLittleEndian = false
    } else {
      return nil
    }
    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      let field = bytes[offset..<offset + count]
      return isLittleEndian
        ? field.reversed().reduce(0) { $0 << 8 | Int($1) } : field.reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(at: 2, bytes: 2) == 42, let directory = number(at: 4, bytes: 4), directory >= 8,
      let entryCount = number(at: directory, bytes: 2)
    else { return nil }

    for index in 0..<entryCount {
      let entry = directory + 2 + index * entrySize
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      guard tag == orientationTag else { continue }
      guard number(at: entry + 2, bytes: 2) == shortType, number(at: entry + 4, bytes: 4) == 1,
        let value = number(at: entry + 8, bytes: 2), (1...8).contains(value)
      else { return nil }
      return value
    }
    return nil
  }
}
