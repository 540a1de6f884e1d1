import AppCore
import FileFormats
import HTTPServing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Names that uploads may have.
enum UploadName {
  static let deepest = CaptureArchive.deepest

  /// The relative path of plain components; nil for any other.
  static func path(_ components: [String]) -> String? {
    guard !components.isEmpty, components.count <= deepest, components.allSatisfy(PlainName.isPlain) else {
      return nil
    }
    return components.joined(separator: "/")
  }
}

/// Limits on uploads.
package struct UploadLimits: Sendable {
  /// Bytes of one file.
  package var fileBytes = CaptureArchive.Limits().fileBytes
  /// Bytes of all files of an upload, unpacked.
  package var totalBytes = CaptureArchive.Limits().totalBytes
  /// Files of an upload.
  package var files = CaptureArchive.Limits().files

  /// The limits.
  package init() {}

  var archive: CaptureArchive.Limits {
    var archive = CaptureArchive.Limits()
    (archive.files, archive.fileBytes, archive.totalBytes) = (files, fileBytes, totalBytes)
    return archive
  }
}

/// A temporary folder of dropped files, which goes away with the last reference, and when the process is interrupted.
package final class UploadFolder: Sendable {
  private let directory: UploadDirectory
  private let name: String
  private let limits: UploadLimits
  private let account: Account

  /// The count of bytes and files received so far.
  private actor Account {
    private var bytes = 0
    private var files = 0

    func take(_ count: Int, limits: UploadLimits) throws(Refusal) {
      guard files < limits.files else { throw .cannotProcess("an upload has at most \(limits.files) files") }
      guard count <= limits.totalBytes - bytes else { throw .tooLarge(limit: limits.totalBytes) }
      files += 1
      bytes += count
    }
  }

  /// A folder of that name in the process's upload folder; each name is used once.
  package init(_ name: String, in directory: UploadDirectory, limits: UploadLimits) {
    self.directory = directory
    self.name = name
    self.limits = limits
    account = Account()
  }

  deinit { try? FileManager.default.removeItem(atPath: place) }

  /// The path of the files.
  private var place: String { "\(directory.place)/\(name)" }

  /// The error's text with the dropped names of files, since users do not know the stored ones.
  package func told(_ error: any Error) -> String {
    let places = [place, "\(directory.placeInMessages)/\(name)"]
    return places.reduce("\(error)") { text, place in
      text.replacing("\(place)/", with: "").replacing(place, with: "what was dropped")
    }
  }

  /// Keeps a file.
  package func add(_ bytes: [UInt8], _ components: [String]) async throws(Refusal) {
    guard let path = UploadName.path(components) else {
      throw .badRequest("the file's name is not allowed")
    }
    guard bytes.count <= limits.fileBytes else { throw .tooLarge(limit: limits.fileBytes) }
    try await account.take(bytes.count, limits: limits)
    do throws(FileError) {
      try directory.write(bytes, to: "\(name)/\(path)")
    } catch .alreadyExists {
      throw .conflict("\(path) was sent already")
    } catch {
      throw .cannotProcess("\(path) cannot be kept: \(told(error))")
    }
  }

  /// The dropped content: the only file, or the folder that holds all files.
  ///
  /// An archive is read as by every command, after it is checked against the limits of uploads.
  func content() throws -> String {
    let path = try innermost(place)
    guard hasEnding(path, ".zip") else { return path }
    do throws(CaptureError) {
      _ = try CaptureArchive(path: path, limits: limits.archive)
    } catch .archive(_, .tooLarge(let limit)) {
      throw Refusal.tooLarge(limit: limit)
    } catch {
      throw Refusal.cannotProcess("the archive cannot be read: \(told(error))")
    }
    return path
  }

  /// Descends through folders that hold only one file or folder.
  ///
  /// - Throws: `FileError` where one cannot be looked into.
  private func innermost(_ path: String) throws(FileError) -> String {
    var path = path
    while try POSIX.kind(of: path) == .directory {
      let names = try POSIX.entries(of: path)
      guard names.count == 1 else { break }
      path += "/\(names[0])"
    }
    return path
  }
}
