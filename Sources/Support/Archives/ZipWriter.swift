import FileFormats

/// Builds zip archives of stored members, the same bytes for the same members.
package enum ZipWriter {
  /// The archive of `members` in this order; names must be unique, everything below 4 GiB.
  ///
  /// `alignment`: Every member's bytes start at a multiple of it, after padding in an extra field.
  package static func archive(
    _ members: [(name: String, bytes: [UInt8])], alignment: Int = 1
  ) -> [UInt8] {
    precondition(NameSet(members.map(\.name)).count == members.count, "member names must be unique")
    precondition(members.count < 0xffff, "too many members for a plain zip archive")
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for (name, bytes) in members {
      let name = Array(name.utf8)
      let offset = archive.count
      // Version 2.0, UTF-8 names, stored, 1 January 1980.
      var header: [UInt8] = u16(20) + u16(0x0800) + u16(0) + u16(0) + u16(0x0021)
      header += u32(Int(CRC32.checksum(of: FileBytes(bytes)))) + u32(bytes.count) + u32(bytes.count)
      header += u16(name.count)
      let padding = padding(before: offset + 30 + name.count, alignment: alignment)
      archive += u32(0x0403_4b50) + header + u16(padding.count) + name + padding + bytes
      directory += u32(0x0201_4b50) + u16(20) + header + u16(0)
      directory += u16(0) + u16(0) + u16(0) + u32(0) + u32(offset) + name
    }
    let offset = archive.count
    let count = u16(members.count)
    archive += directory
    return archive + u32(0x0605_4b50) + u16(0) + u16(0) + count + count + u32(directory.count) + u32(offset)
      + u16(0)
  }

  /// An extra field of zeros of a private kind that ends at a multiple of `alignment`; nothing where `start` is one.
  private static func padding(before start: Int, alignment: Int) -> [UInt8] {
    let missing = (alignment - start % alignment) % alignment
    guard missing > 0 else { return [] }
    // A field has four bytes at least: its kind and its length.
    var length = missing
    while length < 4 { length += alignment }
    return u16(0x1986) + u16(length - 4) + [UInt8](repeating: 0, count: length - 4)
  }

  private static func u16(_ value: Int) -> [UInt8] { rawBytes(of: [UInt16(value).littleEndian]) }
  private static func u32(_ value: Int) -> [UInt8] { rawBytes(of: [UInt32(value).littleEndian]) }
}
