import FileFormats

/// Little-endian numbers at places that the caller has checked.
struct LittleEndianBytes {
  private let file: FileBytes
  var count: Int { file.count }

  init(_ bytes: FileBytes) { file = bytes }

  func bytes(_ position: Int, _ length: Int) -> [UInt8] { file.slice(position..<position + length).array() }

  private func number(_ position: Int, _ length: Int) -> UInt64 {
    file.withBytes { bytes in
      (0..<length).reversed().reduce(0) { $0 << 8 | UInt64(bytes[position + $1]) }
    }
  }

  func u16(_ position: Int) -> UInt16 { UInt16(number(position, 2)) }
  func u32(_ position: Int) -> UInt32 { UInt32(number(position, 4)) }
  func u64(_ position: Int) -> UInt64 { number(position, 8) }
}
