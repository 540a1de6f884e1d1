import FileFormats
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of one process for all dropped files: readable by its user only, and removed with the process.
///
/// It is locked while the process lives, so that the next start can tell a killed process's folder from a running
/// one's. A process id could not, since containers reuse ids.
package final class UploadDirectory: Sendable {
  private static let name = "ardf-drops-"

  private let folder: AtomicDirectory

  /// Makes the folder in the system's folder for temporary files.
  ///
  package init() throws(FileError) {
    folder = try AtomicDirectory(path: "\(Self.parent)/\(Self.name)\(UUID().uuidString)", force: false)
    do {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.temporaryPath)
    } catch {
      throw .permissionDenied(path: folder.temporaryPath)
    }
  }

  /// The path of the folder.
  package var place: String { folder.temporaryPath }

  /// The name that stands for the folder in messages.
  package var placeInMessages: String { folder.path }

  /// Writes a file; fails if there is one.
  package func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    try folder.write(bytes, to: name)
  }

  /// Removes the folders that killed processes of this user left.
  package static func removeAbandoned() {
    AtomicOutputs.removeLeftovers(in: parent) { $0.hasPrefix(name) }
  }

  private static var parent: String { FileManager.default.temporaryDirectory.path }
}
