import FileFormats

/// A zip archive opened for reading: stored and deflated members, zip64 included.
package struct ZipArchive: Sendable {
  /// Limits on an archive.
  package struct Limits: Sendable {
    /// The most members.
    package var members: Int
    /// The largest uncompressed member in bytes.
    package var memberBytes: Int

    /// 100,000 members of at most 4 GiB.
    package static let standard = Limits(members: 100_000, memberBytes: 4 << 30)

    /// Limits of one's own.
    package init(members: Int, memberBytes: Int) {
      self.members = members
      self.memberBytes = memberBytes
    }
  }

  /// How a member's bytes are kept.
  package enum Method: Sendable, Equatable {
    /// As they are.
    case stored
    /// Compressed by deflate.
    case deflated
  }

  /// One member of the archive.
  package struct Member: Sendable, Equatable {
    /// The name, with `/` between folders.
    package let name: String
    /// How the bytes are kept.
    package let method: Method
    /// The number of uncompressed bytes.
    package let size: Int
    /// The checksum of the uncompressed bytes.
    package let crc32: UInt32
    /// Where the kept bytes lie in the file.
    package let dataRange: Range<Int>
    /// The number of bytes that reading it takes beyond the file's own.
    package var unpackedBytes: Int { method == .stored ? 0 : size }
  }

  /// The members in the order of the directory.
  package let members: [Member]

  private let bytes: FileBytes
  private let indices: NameTable<Int>

  /// Opens the archive at `path`.
  ///
  /// - Throws: `FileError` or `ZipError`.
  package init(path: String, limits: Limits = .standard) throws {
    try self.init(FileBytes(MappedFile(path: path)), limits: limits)
  }

  /// Opens an archive of bytes.
  package init(_ bytes: FileBytes, limits: Limits = .standard) throws(ZipError) {
    members = try ZipDirectory(bytes, limits: limits).members()
    self.bytes = bytes
    var indices: NameTable<Int> = [:]
    for (index, member) in members.enumerated() {
      guard indices.updateValue(index, forKey: member.name) == nil else {
        throw .duplicateName(member.name)
      }
    }
    self.indices = indices
  }

  /// The member of that name.
  package func member(_ name: String) throws(ZipError) -> Member {
    guard let index = indices[name] else { throw .noSuchMember(name) }
    return members[index]
  }

  /// Whether there is a member of that name.
  package func contains(_ name: String) -> Bool { indices[name] != nil }

  /// The uncompressed bytes of a member, their checksum verified; those of a stored member are shared
  /// with the file, not copied.
  package func contents(of member: Member) throws(ZipError) -> FileBytes {
    let kept = bytes.slice(member.dataRange)
    let contents: FileBytes
    switch member.method {
    case .stored: contents = kept
    case .deflated:
      guard let inflated = Deflate.inflate(kept, size: member.size) else { throw .damagedData(member.name) }
      contents = FileBytes(inflated)
    }
    guard CRC32.checksum(of: contents) == member.crc32 else { throw .wrongChecksum(member.name) }
    return contents
  }

  /// The uncompressed bytes of the member `name`; see `contents(of:)`.
  package func contents(_ name: String) throws(ZipError) -> FileBytes { try contents(of: member(name)) }
}
