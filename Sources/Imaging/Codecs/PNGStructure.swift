/// The chunk layout of a PNG file (PNG specification, third edition, 5.3).
enum PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The data of the first chunk named `type`, or nil where none lies wholly inside the file.
  static func chunk(_ type: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    let wanted = Array(type.utf8)
    var position = signature.count
    while position + 12 <= bytes.count {
      let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let data = position + 8
      guard length <= bytes.count - data - 4 else { return nil }
      if bytes[position + 4..<data].elementsEqual(wanted) { return bytes[data..<data + length] }
      position = data + length + 4
    }
    return nil
  }
}
