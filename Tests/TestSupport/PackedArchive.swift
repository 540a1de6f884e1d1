import Archives
import FileFormats

/// Zip archives whose members are compressed, as hostile ones are: a megabyte that unpacks to a gigabyte.
public enum PackedArchive {
  /// The archive of `members` in this order.
  ///
  /// `damaged`: Members that get a wrong checksum, so that reading them is noticed.
  public static func bytes(
    of members: [(name: String, bytes: [UInt8])], damaged: Set<String> = []
  ) -> [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for (member, bytes) in members {
      let name = Array(member.utf8)
      // A zlib stream is a raw one between a header of 2 bytes and a checksum of 4.
      let data = ZlibStream.compress(bytes, level: 6).dropFirst(2).dropLast(4)
      let crc = CRC32.checksum(of: FileBytes(bytes)) ^ (damaged.contains(member) ? 1 : 0)
      let common =
        u16(20) + u16(0x0800) + u16(8) + u16(0) + u16(0x0021) + u32(Int(crc)) + u32(data.count)
        + u32(bytes.count) + u16(name.count) + u16(0)
      directory += u32(0x0201_4b50) + u16(20) + common + [UInt8](repeating: 0, count: 10)
      directory += u32(archive.count) + name
      archive += u32(0x0403_4b50) + common + name + data
    }
    let count = u16(members.count)
    return archive + directory + u32(0x0605_4b50) + u32(0) + count + count + u32(directory.count)
      + u32(archive.count) + u16(0)
  }

  private static func u16(_ value: Int) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8 & 0xff)] }
  private static func u32(_ value: Int) -> [UInt8] { u16(value & 0xffff) + u16(value >> 16) }
}
