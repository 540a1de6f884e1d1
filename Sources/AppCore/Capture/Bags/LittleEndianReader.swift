import FileFormats

/// Bytes read from front to back, numbers least significant byte first; nil is given for what ends too early.
struct LittleEndianReader {
  let bytes: FileBytes
  private(set) var position: Int

  init(_ bytes: FileBytes, at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  var remaining: Int { bytes.count - position }

  /// A number of at most eight bytes, which `most` bounds.
  mutating func number(bytes count: Int, atMost most: Int = .max) -> Int? {
    guard count <= remaining else { return nil }
    let start = position
    let value = bytes.withBytes { span in
      (0..<count).reduce(UInt64(0)) { $0 | UInt64(span[start + $1]) << UInt64(8 * $1) }
    }
    position += count
    guard let value = Int(exactly: value), value <= most else { return nil }
    return value
  }

  /// Some bytes, not copied.
  mutating func slice(_ count: Int) -> FileBytes? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return bytes.slice(position..<position + count)
  }

  /// Text whose bytes are counted by the four before it.
  mutating func text(atMost most: Int = 1 << 16) -> String? {
    guard let count = number(bytes: 4, atMost: most), let text = slice(count) else { return nil }
    return String(validating: text.array(), as: UTF8.self)
  }
}
