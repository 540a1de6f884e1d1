import FileFormats

/// The marker segments of a JPEG file (ITU-T T.81, B.1), found as libjpeg finds them: bytes before a marker are passed
/// over.
enum JPEGStructure {
  struct Segment {
    let marker: UInt8
    let payload: ArraySlice<UInt8>
    /// Where the marker's first byte lies.
    let start: Int
  }

  static let application0: UInt8 = 0xE0
  static let application1: UInt8 = 0xE1
  static let application2: UInt8 = 0xE2
  static let application14: UInt8 = 0xEE
  static let startOfScan: UInt8 = 0xDA
  private static let endOfImage: UInt8 = 0xD9

  /// The segments before the first scan, and whether the data end among them.
  static func header(_ bytes: [UInt8]) -> (segments: [Segment], isCutShort: Bool) {
    let (segments, end) = segments(bytes) { $0 == startOfScan }
    return (segments, end == .cutShort)
  }

  /// The reason why the walk over a file's segments ended.
  enum End { case wanted, endOfImage, cutShort, broken }

  /// The segments up to the end of the image, or to the first marker for which `isEnd` holds, that one left out.
  ///
  /// The coded bytes of a scan lie between its segment and the next.
  static func segments(
    _ bytes: [UInt8], until isEnd: (UInt8) -> Bool = { _ in false }
  ) -> (segments: [Segment], end: End) {
    var segments = [Segment]()
    var position = 2
    while let start = marker(in: bytes, from: position) {
      let marker = bytes[start + 1]
      if isEnd(marker) { return (segments, .wanted) }
      if marker == endOfImage { return (segments, .endOfImage) }
      position = start + 2
      // Restarts within a scan, and what stands alone besides them.
      if (0xD0...0xD7).contains(marker) || marker == 0x01 { continue }
      guard position + 2 <= bytes.count else { break }
      let length = Int(bigEndianBytes: bytes[position..<position + 2])
      guard length >= 2 else { return (segments, .broken) }
      guard length <= bytes.count - position else { break }
      segments.append(
        Segment(marker: marker, payload: bytes[position + 2..<position + length], start: start))
      position += length
    }
    return (segments, .cutShort)
  }

  /// Where the next marker begins, whatever lies before it; nil where there is none.
  private static func marker(in bytes: [UInt8], from position: Int) -> Int? {
    var position = position
    while position + 1 < bytes.count {
      if bytes[position] == 0xFF, bytes[position + 1] != 0x00, bytes[position + 1] != 0xFF { return position }
      position += 1
    }
    return nil
  }
}
