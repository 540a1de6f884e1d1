import FileFormats

/// The bytes of a pipe one by one, of which never more than a piece is held.
final class ByteReader {
  private static let piece = 1 << 16

  private let pipe: InputPipe
  private var bytes: [UInt8] = []
  private var position = 0

  init(_ pipe: InputPipe) { self.pipe = pipe }

  /// The next byte; nil at the end.
  func next() throws(FileError) -> UInt8? {
    guard try fill() else { return nil }
    position += 1
    return bytes[position - 1]
  }

  /// Gives the bytes that were read last back.
  func unread(_ last: [UInt8]) {
    if position >= last.count {
      position -= last.count
    } else {
      bytes = last + bytes[position...]
      position = 0
    }
  }

  /// Appends the next `count` bytes; false where the end comes before.
  func append(_ count: Int, to target: inout [UInt8]) throws(FileError) -> Bool {
    var left = count
    while left > 0 {
      guard try fill() else { return false }
      let part = min(left, bytes.count - position)
      target += bytes[position..<position + part]
      position += part
      left -= part
    }
    return true
  }

  /// Makes sure that there is a byte.
  private func fill() throws(FileError) -> Bool {
    guard position == bytes.count else { return true }
    bytes = try pipe.read(atMost: Self.piece)
    position = 0
    return !bytes.isEmpty
  }
}
