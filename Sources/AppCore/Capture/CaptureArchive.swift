import Archives
import FileFormats

/// A capture, or pictures, packed into a zip archive, as phones and file managers make it.
///
/// That no name leads out of it, and that everything is within its limits, is known before anything is unpacked.
package struct CaptureArchive: Sendable {
  /// Limits of what an archive may cost.
  package struct Limits: Sendable {
    /// Files of an archive.
    package var files = 20_000
    /// Bytes of one file, unpacked.
    package var fileBytes = 256 << 20
    /// Bytes of all files, unpacked.
    package var totalBytes = 1 << 30

    /// The limits.
    package init() {}
  }

  /// One file that is part of the capture.
  package struct File: Sendable {
    /// Its path within the archive: plain components.
    package let name: String
    /// Its bytes, unpacked.
    package var bytes: Int { member.size }

    fileprivate let member: ZipArchive.Member
  }

  /// Entries of an archive, folders and what is not part of the capture too.
  private static let mostMembers = 100_000
  /// Folders around a file, at most.
  package static let deepest = 6

  /// The archive's own path.
  package let path: String
  /// Whether it holds a recorded clip, which is read as the archive that it is.
  package let isClip: Bool
  /// The files that belong to the capture, in the order of the archive.
  package let files: [File]

  private let archive: ZipArchive

  /// Opens an archive.
  ///
  /// - Throws: `CaptureError.archive`, `.malformed` for a damaged one.
  package init(path: String, limits: Limits) throws(CaptureError) {
    self.path = path
    archive = try Self.reading(path) {
      // A clip's limits are its own.
      try ZipArchive(
        path: path,
        limits: .init(members: Self.mostMembers, memberBytes: max(limits.fileBytes, limits.totalBytes)))
    }
    isClip = RecordedClip.folder(in: archive) != nil
    guard !isClip else {
      files = []
      return
    }
    var (files, bytes): ([File], Int) = ([], 0)
    // Paths of files and of the folders around them, and of files alone: none is both, or there twice.
    var (taken, places): (NameSet, NameTable<Int>) = ([], [:])
    for member in archive.members where !member.name.hasSuffix("/") {
      let components = member.name.split(separator: "/").map(String.init)
      // What file managers add to archives is not part of the capture, nor is what they hide.
      if components.first == "__MACOSX" || components.contains(where: Self.isHidden) { continue }
      guard !member.name.hasPrefix("/"), components.count <= Self.deepest + 1,
        components.allSatisfy(Self.isPlain)
      else { throw .archive(path: path, .unusableName(member.name)) }
      let name = components.joined(separator: "/")
      guard !taken.contains(name) else { throw .archive(path: path, .namedTwice(name)) }
      for count in 1...components.count {
        let part = components.prefix(count).joined(separator: "/")
        guard places[part] == nil else { throw .archive(path: path, .namedTwice(part)) }
        taken.insert(part)
      }
      places[name] = member.size
      guard files.count < limits.files else { throw .archive(path: path, .tooManyFiles(limit: limits.files)) }
      guard member.size <= limits.fileBytes else {
        throw .archive(path: path, .fileTooLarge(name: member.name, bytes: member.size))
      }
      bytes += member.size
      guard bytes <= limits.totalBytes else {
        throw .archive(path: path, .tooLarge(limit: limits.totalBytes))
      }
      files.append(File(name: name, member: member))
    }
    self.files = files
  }

  /// A file's bytes.
  ///
  /// - Throws: `CaptureError.malformed`.
  package func contents(of file: File) throws(CaptureError) -> FileBytes {
    try Self.reading(path) { try archive.contents(of: file.member) }
  }

  /// Whether there may be a capture in it: what is read of any has pictures, or says where they are.
  var mayHoldCapture: Bool {
    files.contains { file in
      (pictureEndings + BagRecording.endings + [".json", ".mp4", ".csv", ".txt"]).contains {
        hasEnding(file.name, $0)
      }
    }
  }

  private static func isHidden(_ name: String) -> Bool {
    name.hasPrefix(".") && name != "." && name != ".."
  }

  /// Whether a component of a path stays where it is put and can be shown.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 200
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }
  }

  /// Runs a step that reads an archive.
  static func reading<Result>(_ path: String, _ body: () throws -> Result) throws(CaptureError) -> Result {
    do {
      return try body()
    } catch let error as ZipError {
      switch error {
      case .tooManyMembers(_, let limit): throw .archive(path: path, .tooManyFiles(limit: limit))
      case .tooLarge(let name, let bytes):
        throw .archive(path: path, .fileTooLarge(name: name, bytes: Int(clamping: bytes)))
      case .encrypted, .unsupportedMethod, .multipleDisks:
        throw .archive(path: path, .unsupported(reason: error.description))
      case .noDirectory, .malformedDirectory, .duplicateName, .invalidName, .malformedMember, .overlap,
        .wrongChecksum, .damagedData, .noSuchMember:
        throw .malformed(file: path, reason: error.description)
      }
    } catch let error as FileError {
      throw CaptureError(error, of: path)
    } catch {
      throw .malformed(file: path, reason: "\(error)")
    }
  }
}
