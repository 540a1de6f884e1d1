import FileFormats

/// The chunks of a WebP file (RFC 9649).
enum WebPStructure {
  private static let animationFlag: UInt8 = 0x02

  /// Whether the bytes begin as a WebP file does.
  static func isWebP(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
  }

  /// Refuses what ends early, and films.
  static func check(_ bytes: [UInt8]) throws(ImageDefect) {
    guard bytes.count >= 20, number(bytes, 4) <= bytes.count - 8 else { throw .truncated(.webp) }
    if let features = chunk("VP8X", in: bytes), let flags = features.first, flags & animationFlag != 0 {
      throw .unsupported(.webp, detail: "an animation of several pictures")
    }
  }

  /// The payload of the first chunk of that name.
  static func chunk(_ name: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    var position = 12
    while position + 8 <= bytes.count {
      let length = number(bytes, position + 4)
      guard length <= bytes.count - position - 8 else { return nil }
      let payload = bytes[position + 8..<position + 8 + length]
      if bytes[position..<position + 4].elementsEqual(name.utf8) { return payload }
      position += 8 + length + length % 2
    }
    return nil
  }

  private static func number(_ bytes: [UInt8], _ position: Int) -> Int {
    Int(littleEndianBytes: bytes[position..<position + 4])
  }
}
