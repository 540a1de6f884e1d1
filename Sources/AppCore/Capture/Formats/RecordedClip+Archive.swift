import Archives
import FileFormats

extension RecordedClip {
  /// A clip inside a zip archive, in any folder of it; its data are unpacked into memory.
  ///
  /// - Throws: `CaptureError.notFound`, `.malformed` for a damaged archive, `.archive`,
  ///   `.fileTooLarge` for members that unpack to more than their limit.
  init(archive path: String, limits: CaptureLimits) throws(CaptureError) {
    let archive = try CaptureArchive.reading(path) {
      try ZipArchive(
        path: path, limits: ZipArchive.Limits(members: limits.frames, memberBytes: limits.archivedClipBytes))
    }
    guard let folder = Self.folder(in: archive) else { throw .archive(path: path, .nothing) }
    func member(_ name: String) throws(CaptureError) -> ZipArchive.Member {
      try Self.reading(path) { () throws(ZipError) in try archive.member(folder + name) }
    }
    func contents(_ member: ZipArchive.Member) throws(CaptureError) -> FileBytes {
      try Self.reading(path) { () throws(ZipError) in try archive.contents(of: member) }
    }
    let (index, messages) = (try member(Self.indexFile), try member(Self.messagesFile))
    guard index.size <= limits.indexBytes else {
      throw .fileTooLarge(file: Self.indexFile, bytes: index.size, limit: limits.indexBytes)
    }
    let most = limits.unpackedClipBytes(from: messages.dataRange.count)
    guard messages.unpackedBytes <= most else {
      throw .fileTooLarge(file: Self.messagesFile, bytes: messages.size, limit: most)
    }
    try self.init(
      path: path, index: contents(index), messageBytes: messages.size, limits: limits
    ) { () throws(CaptureError) in try contents(messages) }
  }

  /// Where in an archive a clip lies, with a slash at the end; nil where there is none.
  static func folder(in archive: ZipArchive) -> String? {
    archive.members.lazy.map(\.name).filter { $0 == indexFile || $0.hasSuffix("/\(indexFile)") }
      .map { String($0.dropLast(indexFile.count)) }
      .first { archive.contains($0 + messagesFile) }
  }

  private static func reading<Result>(
    _ path: String, _ body: () throws(ZipError) -> Result
  ) throws(CaptureError) -> Result {
    do {
      return try body()
    } catch {
      throw .malformed(file: path, reason: error.description)
    }
  }
}
