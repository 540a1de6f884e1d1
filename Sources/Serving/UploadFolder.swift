import FileFormats
import Foundation

/// Names that uploads may have.
enum UploadName {
  static let longest = 200
  static let deepest = 6

  /// Whether a name is one component that stays where it is put.
  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= longest
      && !name.utf8.contains(UInt8(ascii: "/"))
      && !name.utf8.contains(UInt8(ascii: "\\")) && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// The relative path of plain components; nil for any other.
  static func path(_ components: [String]) -> String? {
    guard !components.isEmpty, components.count <= deepest, components.allSatisfy(isPlain) else { return nil }
    return components.joined(separator: "/")
  }
}

/// What uploads may cost.
public struct UploadLimits: Sendable {
  /// Bytes of one file.
  public var fileBytes = 256 << 20
  /// Bytes of all files of an upload, unpacked.
  public var totalBytes = 1 << 30
  /// Files of an upload.
  public var files = 20_000

  /// The limits.
  public init() {}
}

/// A temporary folder of dropped files, which goes away with the last reference, and when the process is interrupted.
final class UploadFolder: Sendable {
  private let folder: AtomicDirectory
  private let limits: UploadLimits
  private let account: Account

  /// What was taken so far.
  private actor Account {
    private var bytes = 0
    private var files = 0

    func take(_ count: Int, limits: UploadLimits) throws(Refusal) {
      guard files < limits.files else { throw .cannotProcess("an upload has at most \(limits.files) files") }
      guard bytes + count <= limits.totalBytes else { throw .tooLarge(limit: limits.totalBytes) }
      files += 1
      bytes += count
    }
  }

  init(limits: UploadLimits) throws {
    let parent = FileManager.default.temporaryDirectory.path
    folder = try AtomicDirectory(path: "\(parent)/ardf-serve-\(UUID().uuidString)", force: false)
    self.limits = limits
    account = Account()
  }

  /// Where the files lie for now.
  var place: String { folder.temporaryPath }

  /// Keeps a file.
  func add(_ bytes: [UInt8], _ components: [String]) async throws(Refusal) {
    guard let path = UploadName.path(components) else {
      throw .badRequest("the file's name is not allowed")
    }
    guard bytes.count <= limits.fileBytes else { throw .tooLarge(limit: limits.fileBytes) }
    try await account.take(bytes.count, limits: limits)
    do throws(FileError) {
      try folder.write(bytes, to: path)
    } catch .alreadyExists {
      throw .conflict("\(path) was sent already")
    } catch {
      throw .cannotProcess("\(path) cannot be kept: \(error)")
    }
  }

  /// What was dropped: the only file, or the folder that holds all files; an archive is unpacked.
  func content() async throws -> String {
    let path = innermost(folder.temporaryPath)
    guard path.lowercased().hasSuffix(".zip") else { return path }
    let archive: ZipArchive
    do {
      archive = try ZipArchive(
        path: path, limits: .init(members: limits.files, memberBytes: limits.fileBytes))
    } catch {
      throw Refusal.cannotProcess("the archive cannot be read: \(error)")
    }
    // A recorded clip is read as the archive that it is.
    if archive.members.contains(where: { $0.name.hasSuffix("index.jsonl") }) { return path }
    let total = archive.members.reduce(0) { $0 + $1.size }
    guard total <= limits.totalBytes else { throw Refusal.tooLarge(limit: limits.totalBytes) }
    for member in archive.members where !member.name.hasSuffix("/") {
      let components = member.name.split(separator: "/").map(String.init)
      // What file managers add to archives is no part of the capture.
      if components.first == "__MACOSX" || components.last?.hasPrefix(".") == true { continue }
      guard !member.name.hasPrefix("/"), UploadName.path(components) != nil else {
        throw Refusal.cannotProcess("the archive names \(member.name.debugDescription), which is not allowed")
      }
      let bytes: FileBytes
      do throws(ZipError) {
        bytes = try archive.contents(of: member)
      } catch {
        throw Refusal.cannotProcess("the archive cannot be unpacked: \(error)")
      }
      try await addUnpacked(bytes.array(), components)
    }
    return innermost("\(folder.temporaryPath)/\(Self.unpacked)")
  }

  private static let unpacked = "unpacked"

  private func addUnpacked(_ bytes: [UInt8], _ components: [String]) async throws(Refusal) {
    try await account.take(bytes.count, limits: limits)
    do throws(FileError) {
      try folder.write(bytes, to: "\(Self.unpacked)/" + components.joined(separator: "/"))
    } catch {
      throw .cannotProcess("\(components.joined(separator: "/")) cannot be unpacked: \(error)")
    }
  }

  /// The file or folder inside folders that hold nothing but it.
  private func innermost(_ path: String) -> String {
    var path = path
    while let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.count == 1 {
      path += "/\(names[0])"
    }
    return path
  }
}
