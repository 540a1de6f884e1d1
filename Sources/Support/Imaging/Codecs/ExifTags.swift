import FileFormats

/// Finds two tags in EXIF data, how to turn the picture and how wide its field is, and believes nothing else in them.
///
/// Metadata that break a rule count as absent: they never fail the picture they came with.
struct ExifTags {
  /// The orientation, 1...8.
  let orientation: Int?
  /// The focal length of a lens of the same field on 35 mm film (CIPA DC-008: the diagonals' ratio), millimeters.
  let focalLengthIn35mmFilm: Int?

  private static let orientationTag = 0x0112
  private static let exifDirectoryTag = 0x8769
  private static let focalLengthTag = 0xa405
  private static let shortType = 3
  private static let longType = 4
  private static let entrySize = 12

  /// The tags in a JPEG's first `Exif` APP1 segment.
  init(inJPEG bytes: [UInt8]) {
    let preamble = Array("Exif\0\0".utf8)
    let exif = JPEGStructure.header(bytes).segments.first { segment in
      segment.marker == JPEGStructure.application1 && segment.payload.starts(with: preamble)
    }
    self.init(inTIFF: exif.map { Array($0.payload.dropFirst(preamble.count)) } ?? [])
  }

  /// The tags in a PNG's `eXIf` chunk.
  init(inPNG bytes: [UInt8]) {
    self.init(inTIFF: PNGStructure.chunk("eXIf", in: bytes).map { Array($0) } ?? [])
  }

  /// The tags in a WebP's `EXIF` chunk, which may begin as a JPEG's segment does.
  init(inWebP bytes: [UInt8]) {
    let preamble = Array("Exif\0\0".utf8)
    let chunk = WebPStructure.chunk("EXIF", in: bytes) ?? []
    self.init(inTIFF: Array(chunk.starts(with: preamble) ? chunk.dropFirst(preamble.count) : chunk))
  }

  /// The tags in the first directory, and in that of EXIF, of a TIFF structure of either byte order.
  init(inTIFF bytes: [UInt8]) {
    let first = Self.offset(ofDirectoryIn: bytes)
    orientation = first.flatMap {
      Self.value(of: Self.orientationTag, Self.shortType, at: $0, in: bytes)
    }.flatMap { (1...8).contains($0) ? $0 : nil }
    focalLengthIn35mmFilm = first.flatMap {
      Self.value(of: Self.exifDirectoryTag, Self.longType, at: $0, in: bytes)
    }.flatMap {
      Self.value(of: Self.focalLengthTag, Self.shortType, at: $0, in: bytes)
    }.flatMap { $0 > 0 ? $0 : nil }
  }

  private static func isLittleEndian(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("II".utf8)) }

  private static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let field = bytes[offset..<offset + count]
    return isLittleEndian(bytes)
      ? Int(littleEndianBytes: field) : Int(bigEndianBytes: field)
  }

  /// Where the first directory begins.
  private static func offset(ofDirectoryIn bytes: [UInt8]) -> Int? {
    guard isLittleEndian(bytes) || bytes.starts(with: Array("MM".utf8)),
      number(bytes, at: 2, bytes: 2) == 42, let directory = number(bytes, at: 4, bytes: 4), directory >= 8
    else { return nil }
    return directory
  }

  /// The only value of a tag, which must be of `type`, in the directory at an offset.
  private static func value(of tag: Int, _ type: Int, at directory: Int, in bytes: [UInt8]) -> Int? {
    guard directory >= 8, let entries = number(bytes, at: directory, bytes: 2) else { return nil }
    for index in 0..<entries {
      let entry = directory + 2 + index * entrySize
      guard let found = number(bytes, at: entry, bytes: 2) else { return nil }
      guard found == tag else { continue }
      guard number(bytes, at: entry + 2, bytes: 2) == type, number(bytes, at: entry + 4, bytes: 4) == 1
      else { return nil }
      return number(bytes, at: entry + 8, bytes: type == shortType ? 2 : 4)
    }
    return nil
  }
}
