/// The binary glTF 2.0 container: a 12-byte header, a JSON chunk padded with spaces and a binary chunk
/// padded with zeros, both to 4 bytes (glTF 2.0 specification, section 4.4).
enum GLBContainer {
  private static let magic: UInt32 = 0x4654_6C67  // "glTF"
  private static let jsonChunk: UInt32 = 0x4E4F_534A  // "JSON"
  private static let binaryChunk: UInt32 = 0x004E_4942  // "BIN\0"

  static func pack(json: [UInt8], binary: [UInt8]) -> [UInt8] {
    let json = padded(json, with: UInt8(ascii: " "))
    let binary = padded(binary, with: 0)
    let total = 12 + 8 + json.count + (binary.isEmpty ? 0 : 8 + binary.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total)
    bytes.appendLittleEndian(magic)
    bytes.appendLittleEndian(UInt32(2))
    bytes.appendLittleEndian(UInt32(total))
    bytes.appendLittleEndian(UInt32(json.count))
    bytes.appendLittleEndian(jsonChunk)
    bytes.append(contentsOf: json)
    if !binary.isEmpty {
      bytes.appendLittleEndian(UInt32(binary.count))
      bytes.appendLittleEndian(binaryChunk)
      bytes.append(contentsOf: binary)
    }
    return bytes
  }

  private static func padded(_ bytes: [UInt8], with filler: UInt8) -> [UInt8] {
    bytes + [UInt8](repeating: filler, count: (4 - bytes.count % 4) % 4)
  }
}

extension [UInt8] {
  /// Appends an integer, least significant byte first.
  mutating func appendLittleEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
    var rest = value
    for _ in 0..<(value.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Appends the IEEE 754 bit pattern, least significant byte first.
  mutating func appendLittleEndian(_ value: Float) { appendLittleEndian(value.bitPattern) }
}
