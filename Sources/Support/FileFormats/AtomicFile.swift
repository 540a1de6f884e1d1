/// Files that appear whole under their final name, or not at all.
package enum AtomicFile {
  /// Writes `bytes` to a temporary name in the folder of `path`, flushes, and renames.
  ///
  /// - Throws: `FileError.alreadyExists` when the name is taken and `overwrite` is false; other
  ///   `FileError`s as the system reports them. Nothing is left under either name then.
  package static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(FileError) {
    let writer = try AtomicFileWriter(path: path, overwrite: overwrite)
    try writer.append(bytes)
    try writer.commit()
  }

  /// Writes `text` as UTF-8; see `write(_:to:overwrite:)`.
  package static func write(_ text: String, to path: String, overwrite: Bool) throws(FileError) {
    try write(Array(text.utf8), to: path, overwrite: overwrite)
  }

  /// Writes any collection of bytes; see `write(_:to:overwrite:)`.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, overwrite: Bool
  ) throws(FileError) {
    try write(Array(bytes), to: path, overwrite: overwrite)
  }
}

/// A file being written piece by piece under a temporary name.
///
/// `commit()` gives it its final name; a writer that goes out of scope before that leaves nothing.
package final class AtomicFileWriter {
  /// The final name.
  package let path: String
  /// The bytes written so far.
  package private(set) var count = 0

  private let temporary: AtomicOutputs.Temporary
  private let overwrite: Bool
  private var isOpen = true
  private var isCommitted = false

  /// Creates the temporary file beside `path`.
  ///
  /// - Throws: `FileError.isDirectory`, `.notARegularFile` where a device or a pipe has the name, `.alreadyExists`
  ///   without `overwrite`, and what the system reports.
  package init(path: String, overwrite: Bool) throws(FileError) {
    switch try? POSIX.kind(of: path) {
    case .directory: throw .isDirectory(path: path)
    case .some where !overwrite: throw .alreadyExists(path: path)
    case .other: throw .notARegularFile(path: path)
    case .file, .link, nil: break
    }
    temporary = try AtomicOutputs.makeTemporary(for: path) { name throws(FileError) in try POSIX.create(name)
    }
    self.path = path
    self.overwrite = overwrite
  }

  /// Adds bytes at the end.
  package func append(_ bytes: [UInt8]) throws(FileError) { try append(bytes.span) }

  /// Adds bytes at the end.
  package func append(_ bytes: Span<UInt8>) throws(FileError) {
    precondition(isOpen, "the writer is committed")
    do {
      try POSIX.write(bytes, to: temporary.descriptor, path: path)
    } catch {
      throw error.about(path)
    }
    count += bytes.count
  }

  /// Flushes the file, gives it its final name and flushes the folder.
  package func commit() throws(FileError) {
    precondition(isOpen, "the writer is committed")
    try POSIX.synchronize(temporary.descriptor, path: path)
    try AtomicOutputs.publish(temporary.path) { () throws(FileError) in
      if overwrite {
        try POSIX.rename(temporary.path, to: path)
      } else {
        try POSIX.renameExclusively(temporary.path, to: path)
      }
      return nil
    }
    isCommitted = true
    close()
    try POSIX.synchronizeDirectory(AtomicOutputs.split(path).folder)
  }

  /// Gives up the lock: only once the temporary name is gone, or given up too.
  private func close() {
    if isOpen { POSIX.closeDescriptor(temporary.descriptor) }
    isOpen = false
  }

  deinit {
    if !isCommitted { AtomicOutputs.discard(temporary.path) }
    close()
  }
}

extension FileError {
  /// The same failure told about the final name instead of a temporary one.
  package func about(_ path: String) -> FileError {
    switch self {
    // The folder of the output, not the output, is what is missing.
    case .missing: .missing(path: AtomicOutputs.split(path).folder)
    case .isDirectory: .isDirectory(path: path)
    case .notADirectory: .notADirectory(path: AtomicOutputs.split(path).folder)
    case .empty: .empty(path: path)
    case .pointer: .pointer(path: path)
    case .notARegularFile: .notARegularFile(path: path)
    case .alreadyExists: .alreadyExists(path: path)
    case .foreign(_, let entry): .foreign(path: path, entry: entry)
    case .edited(_, let entry): .edited(path: path, entry: entry)
    case .permissionDenied: .permissionDenied(path: path)
    case .changed: .changed(path: path)
    case .noSpace: .noSpace(path: path)
    case .io(_, let code): .io(path: path, errno: code)
    }
  }
}
