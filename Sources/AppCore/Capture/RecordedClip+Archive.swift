import FileFormats

extension RecordedClip {
  /// A clip inside a zip archive, in any folder of it; its data are unpacked into memory.
  ///
  /// - Throws: `CaptureError.notFound`, `.malformed` for a damaged archive, `.unrecognisedLayout` without a clip.
  init(archive path: String, limits: CaptureLimits) throws(CaptureError) {
    let archive: ZipArchive
    do {
      archive = try ZipArchive(
        path: path, limits: ZipArchive.Limits(members: limits.frames, memberBytes: limits.archivedClipBytes))
    } catch {
      throw .malformed(file: path, reason: "\(error)")
    }
    let folders = archive.members.map(\.name).filter {
      $0 == Self.indexFile || $0.hasSuffix("/\(Self.indexFile)")
    }
    .map { String($0.dropLast(Self.indexFile.count)) }
    guard let folder = folders.first(where: { archive.contains($0 + Self.messagesFile) }) else {
      throw .unrecognisedLayout(path: path)
    }
    let index: [UInt8]
    let messages: FileBytes
    do {
      index = try archive.contents(folder + Self.indexFile).array()
      messages = try archive.contents(folder + Self.messagesFile)
    } catch {
      throw .malformed(file: path, reason: error.description)
    }
    try self.init(path: path, index: index, messages: messages, limits: limits)
  }
}
