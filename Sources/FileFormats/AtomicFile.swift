/// Files that appear whole under their final name, or not at all.
public enum AtomicFile {
  /// Writes `bytes` to a temporary name in the folder of `path`, flushes, and renames.
  ///
  /// - Throws: `FileError.alreadyExists` when the name is taken and `overwrite` is false; other
  ///   `FileError`s as the system reports them. Nothing is left under either name then.
  public static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(FileError) {
    let writer = try AtomicFileWriter(path: path, overwrite: overwrite)
    try writer.append(bytes)
    try writer.commit()
  }

  /// Writes `text` as UTF-8; see `write(_:to:overwrite:)`.
  public static func write(_ text: String, to path: String, overwrite: Bool) throws(FileError) {
    try write(Array(text.utf8), to: path, overwrite: overwrite)
  }

  /// Writes any collection of bytes; see `write(_:to:overwrite:)`.
  public static func write(
    _ bytes: some Collection<UInt8>, to path: String, overwrite: Bool
  ) throws(FileError) {
    try write(Array(bytes), to: path, overwrite: overwrite)
  }
}

/// A file being written piece by piece under a temporary name.
///
/// `commit()` gives it its final name; a writer that goes out of scope before that leaves nothing.
public final class AtomicFileWriter {
  /// The final name.
  public let path: String
  /// The bytes written so far.
  public private(set) var count = 0

  private let temporary: String
  private let overwrite: Bool
  private var descriptor: Int32?
  private var isCommitted = false

  /// Creates the temporary file beside `path`.
  public init(path: String, overwrite: Bool) throws(FileError) {
    switch try? POSIX.kind(of: path) {
    case .directory: throw .isDirectory(path: path)
    case .some where !overwrite: throw .alreadyExists(path: path)
    default: break
    }
    let temporary = AtomicOutputs.reserveTemporary(for: path)
    do {
      descriptor = try POSIX.create(temporary)
      self.path = path
      self.temporary = temporary
      self.overwrite = overwrite
    } catch {
      AtomicOutputs.forget(temporary)
      throw error.about(path)
    }
  }

  /// Adds bytes at the end.
  public func append(_ bytes: [UInt8]) throws(FileError) { try append(bytes.span) }

  /// Adds bytes at the end.
  public func append(_ bytes: Span<UInt8>) throws(FileError) {
    guard let descriptor else { preconditionFailure("the writer is committed") }
    do {
      try POSIX.write(bytes, to: descriptor, path: path)
    } catch {
      throw error.about(path)
    }
    count += bytes.count
  }

  /// Flushes the file, gives it its final name and flushes the folder.
  public func commit() throws(FileError) {
    guard let open = descriptor else { preconditionFailure("the writer is committed") }
    try POSIX.synchronize(open, path: path)
    descriptor = nil
    POSIX.closeDescriptor(open)
    try AtomicOutputs.publish(temporary) { () throws(FileError) in
      if overwrite {
        try POSIX.rename(temporary, to: path)
      } else {
        try POSIX.renameExclusively(temporary, to: path)
      }
      return nil
    }
    isCommitted = true
    try POSIX.synchronizeDirectory(AtomicOutputs.split(path).folder)
  }

  deinit {
    if let descriptor { POSIX.closeDescriptor(descriptor) }
    if !isCommitted { AtomicOutputs.discard(temporary) }
  }
}

extension FileError {
  /// The same failure told about the final name instead of a temporary one.
  func about(_ path: String) -> FileError {
    switch self {
    // The folder of the output, not the output, is what is missing.
    case .missing: .missing(path: AtomicOutputs.split(path).folder)
    case .isDirectory: .isDirectory(path: path)
    case .notADirectory: .notADirectory(path: AtomicOutputs.split(path).folder)
    case .empty: .empty(path: path)
    case .notARegularFile: .notARegularFile(path: path)
    case .alreadyExists: .alreadyExists(path: path)
    case .permissionDenied: .permissionDenied(path: path)
    case .changed: .changed(path: path)
    case .noSpace: .noSpace(path: path)
    case .io(_, let code): .io(path: path, errno: code)
    }
  }
}
