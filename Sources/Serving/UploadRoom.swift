import FileFormats
import Foundation
import Glibc

/// The folder of one process for everything that is dropped: the user's alone, and gone with the process.
///
/// The process holds a lock on the folder while it lives, so that the next start can tell a killed one's folder from a
/// living one's, which a process id could not: containers use the same ids again.
final class UploadRoom: Sendable {
  private static let name = "ardf-drops-"
  /// Only another's start between two system calls, or a system without locks, makes one fail.
  private static let attempts = 4

  private let folder: AtomicDirectory
  private let lock: FileHandle

  /// Makes the folder in the system's folder for temporary files.
  ///
  /// - Throws: `FileError`, or what keeps the folder from being made private.
  init() throws {
    for _ in 0..<Self.attempts {
      let folder = try AtomicDirectory(path: "\(Self.parent)/\(Self.name)\(UUID().uuidString)", force: false)
      // One that starts at the same time may find the folder before it is locked, and remove it.
      if let lock = Self.locked(folder.temporaryPath) {
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.temporaryPath)
        self.folder = folder
        self.lock = lock
        return
      }
    }
    throw FileError.io(path: Self.parent, errno: ENOLCK)
  }

  /// Where files lie for now.
  var place: String { folder.temporaryPath }

  /// What messages call the folder.
  var placeInMessages: String { folder.path }

  /// Writes a file; fails if there is one.
  func write(_ bytes: [UInt8], to name: String) throws(FileError) { try folder.write(bytes, to: name) }

  /// Removes what processes of this user left that were killed.
  static func removeAbandoned() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(Self.name) || name.hasPrefix("." + Self.name) {
      let path = "\(parent)/\(name)"
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
        attributes[.type] as? FileAttributeType == .typeDirectory,
        attributes[.ownerAccountID] as? NSNumber == NSNumber(value: geteuid()), let lock = locked(path)
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
      try? lock.close()
    }
  }

  private static var parent: String { FileManager.default.temporaryDirectory.path }

  /// The folder, open and locked for this process; nil where another has it or has removed it.
  private static func locked(_ path: String) -> FileHandle? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0, FileManager.default.fileExists(atPath: path)
    else {
      try? handle.close()
      return nil
    }
    return handle
  }
}
