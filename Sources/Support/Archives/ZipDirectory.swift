import FileFormats

/// The records at the end of a zip archive (PKWARE APPNOTE 6.3.10, sections 4.3.7 to 4.3.16).
struct ZipDirectory {
  private static let endSize = 22
  private static let end64Size = 56
  private static let locatorSize = 20
  private static let entrySize = 46
  private static let localSize = 30
  /// Deflate turns at most 258 bytes into 2 bits.
  private static let maximumRatio = 1032

  private let reader: LittleEndianBytes
  private let limits: ZipArchive.Limits
  private let count: Int
  private let range: Range<Int>

  init(_ bytes: FileBytes, limits: ZipArchive.Limits) throws(ZipError) {
    reader = LittleEndianBytes(bytes)
    self.limits = limits
    guard let end = Self.findEnd(reader) else { throw .noDirectory }
    guard reader.u16(end + 4) == 0, reader.u16(end + 6) == 0 else { throw .multipleDisks }
    var count = UInt64(reader.u16(end + 10))
    var size = UInt64(reader.u32(end + 12))
    var offset = UInt64(reader.u32(end + 16))
    guard reader.u16(end + 8) == reader.u16(end + 10) else { throw .multipleDisks }
    var directoryEnd = end
    let locator = end - Self.locatorSize
    if locator >= 0, reader.u32(locator) == 0x0706_4b50 {
      let position = reader.u64(locator + 8)
      guard position <= UInt64(locator), UInt64(locator) - position >= UInt64(Self.end64Size),
        reader.u32(Int(position)) == 0x0606_4b50
      else { throw .malformedDirectory("the zip64 record is not where its locator says") }
      let end64 = Int(position)
      guard reader.u32(end64 + 16) == 0, reader.u32(end64 + 20) == 0,
        reader.u64(end64 + 24) == reader.u64(end64 + 32)
      else { throw .multipleDisks }
      let short = (count, size, offset)
      (count, size, offset) = (reader.u64(end64 + 32), reader.u64(end64 + 40), reader.u64(end64 + 48))
      guard short.0 == count || short.0 == 0xffff, short.1 == size || short.1 == 0xffff_ffff,
        short.2 == offset || short.2 == 0xffff_ffff
      else { throw .malformedDirectory("the zip64 record disagrees with the plain one") }
      directoryEnd = end64
    }
    guard count <= UInt64(limits.members) else {
      throw .tooManyMembers(count: Int(clamping: count), limit: limits.members)
    }
    let (sum, overflow) = offset.addingReportingOverflow(size)
    guard !overflow, sum == UInt64(directoryEnd), size >= count * UInt64(Self.entrySize) else {
      throw .malformedDirectory("its declared place and size do not fit the file")
    }
    self.count = Int(count)
    range = Int(offset)..<directoryEnd
  }

  /// The position of the end record: the last one whose comment reaches exactly to the file's end.
  private static func findEnd(_ reader: LittleEndianBytes) -> Int? {
    guard reader.count >= endSize else { return nil }
    let last = reader.count - endSize
    for position in stride(from: last, through: max(0, last - 0xffff), by: -1)
    where reader.u32(position) == 0x0605_4b50 && Int(reader.u16(position + 20)) == last - position {
      return position
    }
    return nil
  }

  func members() throws(ZipError) -> [ZipArchive.Member] {
    var members: [ZipArchive.Member] = []
    var extents: [(range: Range<Int>, name: String)] = []
    members.reserveCapacity(count)
    var position = range.lowerBound
    for _ in 0..<count {
      guard position + Self.entrySize <= range.upperBound, reader.u32(position) == 0x0201_4b50 else {
        throw .malformedDirectory("an entry lacks its signature")
      }
      let nameLength = Int(reader.u16(position + 28))
      let extraLength = Int(reader.u16(position + 30))
      let next = position + Self.entrySize + nameLength + extraLength + Int(reader.u16(position + 32))
      guard next <= range.upperBound else { throw .malformedDirectory("an entry reaches over its end") }
      let (member, extent) = try member(at: position, nameLength: nameLength, extraLength: extraLength)
      members.append(member)
      extents.append((extent, member.name))
      position = next
    }
    guard position == range.upperBound else { throw .malformedDirectory("bytes after its last entry") }
    extents.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    for (first, second) in zip(extents, extents.dropFirst())
    where first.range.upperBound > second.range.lowerBound {
      throw .overlap(first.name, second.name)
    }
    return members
  }

  private func member(
    at position: Int, nameLength: Int, extraLength: Int
  ) throws(ZipError) -> (ZipArchive.Member, extent: Range<Int>) {
    let nameBytes = reader.bytes(position + Self.entrySize, nameLength)
    guard let name = String(validating: nameBytes, as: UTF8.self) else { throw .invalidName }
    // Bit 0: encrypted; bit 6: strong encryption; bit 13: masked headers.
    let flags = reader.u16(position + 8)
    guard flags & 0x2041 == 0 else { throw .encrypted(name) }
    let method: ZipArchive.Method
    switch reader.u16(position + 10) {
    case 0: method = .stored
    case 8: method = .deflated
    case let other: throw .unsupportedMethod(Int(other), name)
    }
    var wide = Zip64Fields(
      size: UInt64(reader.u32(position + 24)), compressed: UInt64(reader.u32(position + 20)),
      offset: UInt64(reader.u32(position + 42)))
    guard wide.widen(reader.bytes(position + Self.entrySize + nameLength, extraLength)) else {
      throw .malformedMember(name, "its zip64 sizes are missing")
    }
    guard wide.size <= UInt64(limits.memberBytes) else { throw .tooLarge(name, bytes: wide.size) }
    let end = UInt64(range.lowerBound)
    guard wide.compressed <= end, wide.offset <= end - wide.compressed,
      end - wide.compressed - wide.offset >= UInt64(Self.localSize)
    else { throw .malformedMember(name, "its data lies outside the archive") }
    switch method {
    case .stored:
      guard wide.size == wide.compressed else {
        throw .malformedMember(name, "it is stored, but its two sizes differ")
      }
    case .deflated:
      guard wide.size <= wide.compressed * UInt64(Self.maximumRatio) else {
        throw .tooLarge(name, bytes: wide.size)
      }
    }
    let local = Int(wide.offset)
    guard reader.u32(local) == 0x0403_4b50 else {
      throw .malformedMember(name, "its local header lacks the signature")
    }
    let localName = Int(reader.u16(local + 26))
    let start = local + Self.localSize + localName + Int(reader.u16(local + 28))
    guard start + Int(wide.compressed) <= range.lowerBound else {
      throw .malformedMember(name, "its data lies outside the archive")
    }
    guard localName == nameLength, reader.bytes(local + Self.localSize, localName) == nameBytes else {
      throw .malformedMember(name, "its local header has another name")
    }
    guard reader.u16(local + 8) == reader.u16(position + 10), reader.u16(local + 6) & 0x2041 == 0 else {
      throw .malformedMember(name, "its local header has another method")
    }
    let data = start..<start + Int(wide.compressed)
    let member = ZipArchive.Member(
      name: name, method: method, size: Int(wide.size), crc32: reader.u32(position + 16), dataRange: data)
    return (member, local..<data.upperBound)
  }
}

/// Sizes and offset of a member, whose saturated 32-bit values are replaced by those of extra field 1.
private struct Zip64Fields {
  var size: UInt64
  var compressed: UInt64
  var offset: UInt64

  /// Takes the 64-bit values from the extra fields; false when one that is needed is not there.
  mutating func widen(_ extra: [UInt8]) -> Bool {
    let saturated: UInt64 = 0xffff_ffff
    guard size == saturated || compressed == saturated || offset == saturated else { return true }
    let reader = LittleEndianBytes(FileBytes(extra))
    var position = 0
    while position + 4 <= extra.count {
      let end = position + 4 + Int(reader.u16(position + 2))
      guard end <= extra.count else { return false }
      if reader.u16(position) == 1 {
        var next = position + 4
        func take(_ value: inout UInt64) -> Bool {
          guard value == saturated else { return true }
          guard next + 8 <= end else { return false }
          value = reader.u64(next)
          next += 8
          return true
        }
        return take(&size) && take(&compressed) && take(&offset)
      }
      position = end
    }
    return false
  }
}
