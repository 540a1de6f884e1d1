import FileFormats
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of one process for everything that is dropped: the user's alone, and gone with the process.
///
/// It is locked while the process lives, as all outputs are that are being written, so that the next start can tell a
/// killed one's folder from a living one's, which a process id could not: containers use the same ids again.
package final class UploadRoom: Sendable {
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

  /// Where files lie for now.
  package var place: String { folder.temporaryPath }

  /// Name of the folder in messages.
  package var placeInMessages: String { folder.path }

  /// Writes a file; fails if there is one.
  package func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    try folder.write(bytes, to: name)
  }

  /// Removes what processes of this user left that were killed.
  package static func removeAbandoned() {
    AtomicOutputs.removeLeftovers(in: parent) { $0.hasPrefix(name) }
  }

  private static var parent: String { FileManager.default.temporaryDirectory.path }
}
