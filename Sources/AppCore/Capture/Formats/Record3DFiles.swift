import Archives
import FileFormats

/// Where the files of a Record3D recording lie: in the app's `.r3d`, a zip archive, or in a folder that it was unpacked to.
enum Record3DFiles: Sendable {
  case archive(ZipArchive, path: String, prefix: String, CaptureLimits)
  case folder(CaptureFolder)

  static let metadata = "metadata"
  static let frames = "rgbd"

  /// An archive, in any folder of which the recording may lie.
  ///
  /// - Throws: `CaptureError.archive`, `.malformed` for a damaged one.
  init(archive path: String, limits: CaptureLimits) throws(CaptureError) {
    let archive = try CaptureArchive.reading(path) {
      // A picture, a depth map and its confidence of each frame, and a few files besides.
      try ZipArchive(
        path: path,
        limits: ZipArchive.Limits(members: 3 * limits.frames + 1000, memberBytes: limits.archivedClipBytes))
    }
    let names = archive.members.map(\.name).filter {
      $0 == Self.metadata || $0.hasSuffix("/\(Self.metadata)")
    }
    guard let name = names.first else {
      guard Self.lacksMetadata(archive.members.map(\.name)) else { throw .archive(path: path, .nothing) }
      throw .foreignLayout(path: path, layout: .record3DWithoutMetadata)
    }
    self = .archive(archive, path: path, prefix: String(name.dropLast(Self.metadata.count)), limits)
  }

  /// Whether files are those of a recording's frames, and none is its metadata.
  static func lacksMetadata(_ names: [String]) -> Bool {
    let paths = names.map { $0.split(separator: "/") }
    return paths.contains { $0.dropLast().last == "rgbd" && hasEnding(String($0.last ?? ""), ".depth") }
      && !paths.contains { $0.last == "metadata" }
  }

  var limits: CaptureLimits {
    switch self {
    case .archive(_, _, _, let limits): limits
    case .folder(let folder): folder.limits
    }
  }

  var path: String {
    switch self {
    case .archive(_, let path, _, _): path
    case .folder(let folder): folder.path
    }
  }

  func has(_ name: String) -> Bool {
    switch self {
    case .archive(let archive, _, let prefix, _): archive.contains(prefix + name)
    case .folder(let folder): folder.hasPlainFile(name)
    }
  }

  /// The bytes of a file, of at most `limit`.
  func bytes(_ name: String, limit: Int) throws(CaptureError) -> [UInt8] {
    switch self {
    case .archive(let archive, let path, let prefix, _):
      let member: ZipArchive.Member
      do {
        member = try archive.member(prefix + name)
        guard member.size <= limit else {
          throw CaptureError.fileTooLarge(file: name, bytes: member.size, limit: limit)
        }
        return try archive.contents(of: member).array()
      } catch let error as CaptureError {
        throw error
      } catch {
        throw .malformed(file: path, reason: "\(error)")
      }
    case .folder(let folder): return try folder.bytes(name, namedBy: Self.metadata, limit: limit)
    }
  }
}
