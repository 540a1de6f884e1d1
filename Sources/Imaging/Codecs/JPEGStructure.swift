/// The marker segments of a JPEG file up to its first scan (ITU-T T.81, B.1).
enum JPEGStructure {
  struct Segment {
    let marker: UInt8
    let payload: ArraySlice<UInt8>
  }

  static let application1: UInt8 = 0xE1
  private static let startOfScan: UInt8 = 0xDA
  private static let endOfImage: UInt8 = 0xD9

  /// The segments before the first scan, and whether the data end among them.
  static func header(_ bytes: [UInt8]) -> (segments: [Segment], isCutShort: Bool) {
    var segments = [Segment]()
    var position = 2
    while true {
      while position + 1 < bytes.count, bytes[position] == 0xFF, bytes[position + 1] == 0xFF {
        position += 1  // fill bytes
      }
      guard position + 4 <= bytes.count else { return (segments, true) }
      let marker = bytes[position + 1]
      guard bytes[position] == 0xFF, marker != startOfScan, marker != endOfImage else {
        return (segments, false)
      }
      let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      guard length >= 2 else { return (segments, false) }
      guard length <= bytes.count - position - 2 else { return (segments, true) }
      segments.append(Segment(marker: marker, payload: bytes[position + 4..<position + 2 + length]))
      position += 2 + length
    }
  }
}
