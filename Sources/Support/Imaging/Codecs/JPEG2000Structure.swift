import FileFormats

/// The boxes of a JPEG 2000 file (ISO/IEC 15444-1, annexes A and I), or its bare codestream: what is known of it before a
/// library sees it, which gets the codestream alone.
struct JPEG2000Structure {
  let width: Int
  let height: Int
  /// Where in the bytes the codestream lies.
  let codestream: Range<Int>

  private static let (startOfCodestream, container): ([UInt8], [UInt8]) = (
    [0xFF, 0x4F, 0xFF, 0x51], [0, 0, 0, 12] + Array("jP  \r\n".utf8) + [0x87, 10]
  )
  /// Enumerated colors that are not red, green and blue, or gray: luma and differences.
  private static let yccColors = 18

  /// Whether the first bytes are a JPEG 2000 file's or codestream's.
  static func isJPEG2000(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: startOfCodestream) || bytes.starts(with: container)
  }

  /// Reads the boxes and the codestream's first marker segment.
  init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) {
    codestream = bytes.starts(with: Self.startOfCodestream) ? 0..<bytes.count : try Self.body(bytes)
    let start = codestream.lowerBound
    guard codestream.count >= 42, bytes[start...].starts(with: Self.startOfCodestream) else {
      throw .truncated(.jpeg2000)
    }
    func field(_ offset: Int, _ count: Int = 4) -> Int { Self.number(bytes, start + offset, count) }
    // The reference grid's end less the picture's place on it.
    (width, height) = (max(0, field(8) - field(16)), max(0, field(12) - field(20)))
    try limits.check(width: width, height: height, format: .jpeg2000)
    let components = field(40, 2)
    guard (1...4).contains(components), codestream.count >= 42 + 3 * components else {
      throw .unsupported(.jpeg2000, detail: counted(components, "channel"))
    }
    for component in 0..<components {
      let (horizontal, vertical) = (field(43 + 3 * component, 1), field(44 + 3 * component, 1))
      guard horizontal == 1, vertical == 1 else {
        throw .unsupported(.jpeg2000, detail: "channels of a lower resolution")
      }
    }
  }

  /// Where the codestream lies in a file of boxes.
  private static func body(_ bytes: [UInt8]) throws(ImageDefect) -> Range<Int> {
    for box in try boxes(bytes, in: 0..<bytes.count) {
      if box.type == "jp2c" { return box.body }
      guard box.type == "jp2h" else { continue }
      for property in try boxes(bytes, in: box.body) {
        if property.type == "pclr" { throw .unsupported(.jpeg2000, detail: "a palette") }
        guard property.type == "colr", property.body.count >= 7, bytes[property.body.lowerBound] == 1 else {
          continue
        }
        if number(bytes, property.body.lowerBound + 3, 4) == yccColors {
          throw .unsupported(.jpeg2000, detail: "colors as luma and differences")
        }
      }
    }
    throw .truncated(.jpeg2000)
  }

  private static func boxes(
    _ bytes: [UInt8], in range: Range<Int>
  ) throws(ImageDefect) -> [(type: String, body: Range<Int>)] {
    var found: [(type: String, body: Range<Int>)] = []
    var start = range.lowerBound
    while start + 8 <= range.upperBound {
      let stated = number(bytes, start, 4)
      // A length of 1 follows in eight bytes, of which four are enough here; one of 0 is the rest.
      let isLong = stated == 1
      guard !isLong || start + 16 <= range.upperBound && number(bytes, start + 8, 4) == 0 else {
        throw .truncated(.jpeg2000)
      }
      let head = isLong ? 16 : 8
      let length = isLong ? number(bytes, start + 12, 4) : stated == 0 ? range.upperBound - start : stated
      guard length >= head, start + length <= range.upperBound else { throw .truncated(.jpeg2000) }
      let type = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
      found.append((type, start + head..<start + length))
      start += length
    }
    return found
  }

  private static func number(_ bytes: [UInt8], _ position: Int, _ count: Int) -> Int {
    Int(bigEndianBytes: bytes[position..<position + count])
  }
}
