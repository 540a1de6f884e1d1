import CSystemShims
import Glibc

/// Folders and the names in them.
///
/// Unsafe by nature.
extension POSIX {
  package static func makeDirectory(_ path: String) throws(FileError) {
    guard unsafe mkdir(path, 0o777) == 0 else { throw .from(errno: errno, path: path) }
  }

  /// Removes a folder that holds nothing; any other stays.
  package static func removeEmptyDirectory(_ path: String) { _ = unsafe rmdir(path) }

  package static func rename(_ source: String, to destination: String) throws(FileError) {
    guard retrying({ unsafe Glibc.rename(source, destination) }) == 0 else {
      throw .from(errno: errno, path: destination)
    }
  }

  /// Gives a file its final name only if that name is free, in one step where the file system has links.
  package static func renameExclusively(_ source: String, to destination: String) throws(FileError) {
    if unsafe link(source, destination) == 0 {
      unlink(source)
      return
    }
    let code = errno
    guard code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EMLINK else {
      throw .from(errno: code, path: destination)
    }
    guard !exists(destination) else { throw .alreadyExists(path: destination) }
    try rename(source, to: destination)
  }

  /// Gives a folder its final name only if that name is free.
  package static func renameDirectoryExclusively(_ source: String, to destination: String) throws(FileError) {
    // RENAME_NOREPLACE
    if retrying({ unsafe ardf_rename(source, destination, 1) }) == 0 { return }
    guard isUnsupported(errno) else { throw .from(errno: errno, path: destination) }
    guard !exists(destination) else { throw .alreadyExists(path: destination) }
    try rename(source, to: destination)
  }

  /// Lets two entries of one file system take each other's names in one step; false where it cannot do so.
  package static func exchange(_ first: String, _ second: String) throws(FileError) -> Bool {
    // RENAME_EXCHANGE
    if retrying({ unsafe ardf_rename(first, second, 2) }) == 0 { return true }
    guard isUnsupported(errno) else { throw .from(errno: errno, path: second) }
    return false
  }

  /// Old kernels and some file systems know no flags of renaming.
  static func isUnsupported(_ code: Int32) -> Bool { code == EINVAL || code == ENOSYS }

  package static func unlink(_ path: String) { _ = unsafe Glibc.unlink(path) }

  /// The names in a folder, sorted; those that are not UTF-8, which no text can name, left out.
  package static func entries(of directory: String) throws(FileError) -> [String] {
    try listing(of: directory).names
  }

  /// The names in a folder, sorted, and beside them those that are not UTF-8, with each byte beyond ASCII as `\xHH`.
  package static func listing(
    of directory: String
  ) throws(FileError) -> (names: [String], notText: [String]) {
    guard let stream = unsafe opendir(directory) else { throw .from(errno: errno, path: directory) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    var notText: [String] = []
    // The end and a failure look the same but for errno.
    errno = 0
    while let entry = unsafe readdir(stream) {
      let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe Array($0.prefix(while: { $0 != 0 }))
      }
      if let name = String(validating: bytes, as: UTF8.self) {
        if name != "." && name != ".." { names.append(name) }
      } else {
        notText.append(escapedName(bytes))
      }
      errno = 0
    }
    guard errno == 0 else { throw .from(errno: errno, path: directory) }
    return (names.sortedByBytes(), notText.sortedByBytes())
  }

  /// A folder's entries; retries for a while where other threads hold all file descriptors.
  private static func entriesAtLast(of directory: String) -> [String] {
    for _ in 0..<10 {
      if let names = try? entries(of: directory) { return names }
      sleepAWhile()
    }
    return []
  }

  /// Removes a file or a whole folder, following no link; what cannot be removed stays.
  package static func removeTree(_ path: String) {
    if (try? kind(of: path)) == .directory {
      for name in entriesAtLast(of: path) { removeTree("\(path)/\(name)") }
      _ = unsafe rmdir(path)
    } else {
      unlink(path)
    }
  }

  /// Flushes every file and folder below `path`, deepest first.
  package static func synchronizeTree(_ path: String) throws(FileError) {
    for name in try entries(of: path) {
      let child = "\(path)/\(name)"
      switch try kind(of: child) {
      case .directory: try synchronizeTree(child)
      case .file:
        let (descriptor, _) = try openRegularFile(child)
        defer { close(descriptor) }
        try synchronize(descriptor, path: child)
      case .link, .other: continue
      }
    }
    try synchronizeDirectory(path)
  }
}
