/// Builds zip archives of stored members, the same bytes for the same members.
public enum ZipWriter {
  /// The archive of `members` in this order; names must be unique, everything below 4 GiB.
  public static func archive(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    precondition(Set(members.map(\.name)).count == members.count, "member names must be unique")
    precondition(members.count < 0xffff, "too many members for a plain zip archive")
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for (name, bytes) in members {
      let name = Array(name.utf8)
      let offset = archive.count
      // Version 2.0, UTF-8 names, stored, 1 January 1980.
      var header: [UInt8] = u16(20) + u16(0x0800) + u16(0) + u16(0) + u16(0x0021)
      header += u32(Int(Deflate.crc32(of: FileBytes(bytes)))) + u32(bytes.count) + u32(bytes.count)
      header += u16(name.count) + u16(0)
      archive += u32(0x0403_4b50) + header + name + bytes
      directory += u32(0x0201_4b50) + u16(20) + header
      directory += u16(0) + u16(0) + u16(0) + u32(0) + u32(offset) + name
    }
    let offset = archive.count
    let count = u16(members.count)
    archive += directory
    return archive + u32(0x0605_4b50) + u16(0) + u16(0) + count + count + u32(directory.count) + u32(offset)
      + u16(0)
  }

  private static func u16(_ value: Int) -> [UInt8] { rawBytes(of: [UInt16(value).littleEndian]) }
  private static func u32(_ value: Int) -> [UInt8] { rawBytes(of: [UInt32(value).littleEndian]) }
}
