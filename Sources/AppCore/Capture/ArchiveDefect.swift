import FileFormats

/// Why no capture can be read from an archive that is not damaged.
public enum ArchiveDefect: Sendable, Equatable, CustomStringConvertible {
  /// Neither a capture nor pictures.
  case nothing
  /// Content that can only be read from an unpacked folder.
  case unpackFirst(reason: String)
  /// A name that leads out of the archive, is too deep or cannot be shown.
  case unusableName(String)
  /// A name of two files, or of a file and a folder.
  case namedTwice(String)
  /// More files than may be unpacked.
  case tooManyFiles(limit: Int)
  /// A file of more bytes than may be unpacked.
  case fileTooLarge(name: String, bytes: Int)
  /// More bytes than may be unpacked of one archive.
  case tooLarge(limit: Int)
  /// More bytes than may be unpacked of all archives that are open at a time.
  case tooManyOpen(limit: Int)
  /// Encrypted, split, or compressed otherwise.
  case unsupported(reason: String)
  /// There is no room for its files.
  case notUnpacked(reason: String)

  /// The defect and what to do.
  public var description: String {
    switch self {
    case .nothing:
      "an archive that holds neither a known capture nor pictures (\(pictureFormats)); pack one of these"
    case .unpackFirst(let reason): "\(reason); unpack it, and give its folder"
    case .unusableName(let name):
      "the archive names \(name.debugDescription), which leads out of it, is deeper than "
        + "\(CaptureArchive.deepest) folders or cannot be shown; pack it again"
    case .namedTwice(let name): "the archive names \(name.debugDescription) twice; pack it again"
    case .tooManyFiles(let limit): "an archive of more than \(limit) files; unpack it, and give its folder"
    case .fileTooLarge(let name, let bytes):
      "holds \(name), which unpacks to \(bytes) bytes, more than a file may have; unpack it, and give its folder"
    case .tooLarge(let limit):
      "unpacks to more than \(limit >> 20) MiB; unpack it, and give its folder"
    case .tooManyOpen(let limit):
      "all archives together unpack to more than \(limit >> 20) MiB; unpack them, or give them one by one"
    case .unsupported(let reason): "\(reason); pack it again as a plain .zip, or give its folder"
    case .notUnpacked(let reason):
      "cannot be unpacked (\(reason)); make room, or name another folder in TMPDIR"
    }
  }
}
