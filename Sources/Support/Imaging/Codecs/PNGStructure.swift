import FileFormats

/// The chunk layout of a PNG file (PNG specification, third edition, 5.3).
enum PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// More chunks than any picture needs.
  static let chunkLimit = 65_536

  struct Chunk {
    let type: ArraySlice<UInt8>
    let data: Range<Int>
    /// Length, type, data and checksum.
    let whole: Range<Int>

    /// Whether the pixels depend on it: critical chunks have a capital first letter, and transparency.
    var isEssential: Bool { type.first! & 0x20 == 0 || type.elementsEqual("tRNS".utf8) }
  }

  /// The data of the first chunk named `type`, or nil where none lies wholly inside the file.
  static func chunk(_ type: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    var position = signature.count
    while let chunk = chunk(at: position, in: bytes) {
      if chunk.type.elementsEqual(type.utf8) { return bytes[chunk.data] }
      position = chunk.whole.upperBound
    }
    return nil
  }

  /// The parts of the file that the pixels depend on, in order.
  ///
  /// Ancillary chunks are left out: their defects must not matter, nor what lies after the last chunk. Where the
  /// chunk layout breaks off before that, the rest of the file counts.
  static func essentialParts(of bytes: [UInt8]) throws(ImageDefect) -> [Range<Int>] {
    var parts = [0..<min(signature.count, bytes.count)]
    var position = signature.count
    var count = 0
    while let chunk = chunk(at: position, in: bytes) {
      count += 1
      guard count <= chunkLimit else {
        throw .corrupt(.png, detail: "more than \(chunkLimit) chunks")
      }
      position = chunk.whole.upperBound
      guard chunk.isEssential else { continue }
      if parts[parts.count - 1].upperBound == chunk.whole.lowerBound {
        parts[parts.count - 1] = parts[parts.count - 1].lowerBound..<position
      } else {
        parts.append(chunk.whole)
      }
      if chunk.type.elementsEqual("IEND".utf8) { return parts }
    }
    if position < bytes.count { parts.append(position..<bytes.count) }
    return parts
  }

  /// The chunk that starts at `position`, or nil if it does not lie wholly inside the file.
  private static func chunk(at position: Int, in bytes: [UInt8]) -> Chunk? {
    guard position <= bytes.count - 12 else { return nil }
    let length = Int(bigEndianBytes: bytes[position..<position + 4])
    let data = position + 8
    guard length <= bytes.count - data - 4 else { return nil }
    return Chunk(
      type: bytes[position + 4..<data], data: data..<data + length, whole: position..<data + length + 4)
  }
}
