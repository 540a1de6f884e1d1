import CSystemShims
import Glibc

/// The system calls this module makes, each with its error checked.
///
/// Unsafe by nature.
package enum POSIX {
  package enum Kind { case file, directory, link, other }

  package static func message(for code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  package static func kind(of path: String) throws(FileError) -> Kind {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw .from(errno: errno, path: path) }
    return kind(mode: status.st_mode)
  }

  /// Kind of file at a path, if any.
  package static func kind(followingLinks path: String) -> PathKind? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFIFO: .pipe
    case S_IFCHR: .characterDevice
    default: .other
    }
  }

  private static func kind(mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Identity and version of a file: it changes when the file is written to.
  package struct Identity: Equatable, Sendable {
    let device: UInt64
    let node: UInt64
    package let size: Int
    let modified: Int64

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      node = UInt64(status.st_ino)
      size = Int(status.st_size)
      modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    package func isSameFile(as other: Identity) -> Bool { device == other.device && node == other.node }
  }

  /// nil where nothing is there; a link's is that of what it leads to.
  package static func identity(of path: String) -> Identity? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Identity(status) : nil
  }

  /// The time at which a file, or a link itself, was last written to, replaced or moved, nanoseconds since 1970.
  ///
  /// Nil where nothing is there. Copies that keep the time of their last writing have a new one of these.
  package static func changed(_ path: String) -> Int64? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
  }

  private static func identity(of descriptor: Int32) -> Identity? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Identity(status) : nil
  }

  /// Whether `path` still names what `descriptor` has open.
  package static func names(_ path: String, _ descriptor: Int32) -> Bool {
    guard let named = identity(of: path), let open = identity(of: descriptor) else { return false }
    return named.isSameFile(as: open)
  }

  /// The absolute path without links, `.` and `..`; nil where nothing is there, or it is not text.
  package static func resolved(_ path: String) -> String? {
    resolvedBytes(path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The same as bytes, which need be no text.
  package static func resolvedBytes(_ path: String) -> [UInt8]? {
    guard let text = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe (0..<Int(strlen(text))).map { unsafe UInt8(bitPattern: text[$0]) }
  }

  /// Whether entries can be made in a folder.
  package static func isWritableFolder(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }

  /// Calls again what a signal interrupted.
  static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  package static func exists(_ path: String) -> Bool { (try? kind(of: path)) != nil }

  /// Opens a regular file for reading.
  package static func openRegularFile(
    _ path: String
  ) throws(FileError) -> (descriptor: Int32, identity: Identity) {
    let descriptor = retrying { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw .from(errno: errno, path: path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .from(errno: code, path: path)
    }
    switch kind(mode: status.st_mode) {
    case .file:
      guard !isPointer(descriptor, size: Int(status.st_size)) else {
        close(descriptor)
        throw .pointer(path: path)
      }
      return (descriptor, Identity(status))
    case .directory:
      close(descriptor)
      throw .isDirectory(path: path)
    case .link, .other:
      close(descriptor)
      throw .notARegularFile(path: path)
    }
  }

  /// Creates a file that must not exist yet.
  package static func create(_ path: String) throws(FileError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = retrying { unsafe open(path, flags, 0o666) }
    guard descriptor >= 0 else { throw .from(errno: errno, path: path) }
    return descriptor
  }

  /// Opens a regular file to write at its end, whoever else does so; makes it where there is none.
  package static func openForAppending(_ path: String) throws(FileError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = retrying { unsafe open(path, flags, 0o666) }
    guard descriptor >= 0 else { throw .from(errno: errno, path: path) }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, kind(mode: status.st_mode) == .file { return descriptor }
    close(descriptor)
    throw .notARegularFile(path: path)
  }

  /// The bytes of an open file.
  package static func size(of descriptor: Int32, path: String) throws(FileError) -> Int {
    guard let size = identity(of: descriptor)?.size else { throw .from(errno: errno, path: path) }
    return size
  }

  /// Truncates an open file to `size` bytes.
  package static func truncate(_ descriptor: Int32, to size: Int, path: String) throws(FileError) {
    guard retrying({ ftruncate(descriptor, size) }) == 0 else { throw .from(errno: errno, path: path) }
  }

  /// Reads `count` bytes from an offset on; fewer where the file ends before.
  package static func read(
    _ descriptor: Int32, at offset: Int, count: Int, path: String
  ) throws(FileError) -> [UInt8] {
    guard count > 0 else { return [] }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, failure == 0 {
        let received = unsafe pread(
          descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if received == 0 { break }
        if received > 0 { filled += received } else if errno != EINTR { failure = errno }
      }
    }
    guard failure == 0 else { throw .from(errno: failure, path: path) }
    return bytes
  }

  /// Opens a folder, or a file for reading and writing, following no link; to lock it.
  package static func openForLocking(_ path: String) throws(FileError) -> Int32 {
    let access = try kind(of: path) == .directory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_NONBLOCK
    let descriptor = retrying { unsafe open(path, access | O_CLOEXEC | O_NOFOLLOW) }
    guard descriptor >= 0 else { throw .from(errno: errno, path: path) }
    return descriptor
  }

  /// Whether an open file or folder is this user's.
  package static func isOwn(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
  }

  /// The outcome of locking.
  package enum Locking {
    case locked
    /// Another descriptor has it locked, on this machine or, on most shared file systems, on another.
    case lockedElsewhere
    /// The file system knows no locks.
    case unsupported
  }

  /// Locks an open file or folder for as long as the descriptor is open.
  @discardableResult
  package static func lock(_ descriptor: Int32) -> Locking {
    guard retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 else { return .locked }
    return errno == EWOULDBLOCK ? .lockedElsewhere : .unsupported
  }

  package static func write(_ bytes: Span<UInt8>, to descriptor: Int32, path: String) throws(FileError) {
    let failure = unsafe bytes.withUnsafeBufferPointer {
      unsafe written(UnsafeRawBufferPointer($0), to: descriptor)
    }
    guard failure == 0 else { throw .from(errno: failure, path: path) }
  }

  package static func write(_ bytes: RawSpan, to descriptor: Int32, path: String) throws(FileError) {
    let failure = unsafe bytes.withUnsafeBytes { unsafe written($0, to: descriptor) }
    guard failure == 0 else { throw .from(errno: failure, path: path) }
  }

  /// Writes all bytes; the number of the error that kept it from that, else 0.
  private static func written(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let count = unsafe Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count >= 0 { done += count } else if errno != EINTR { return errno }
    }
    return 0
  }

  /// Reads `count` bytes; fewer where the file has become shorter.
  package static func read(_ descriptor: Int32, count: Int, path: String) throws(FileError) -> [UInt8] {
    // Filling an array of no capacity writes to the count of the empty array, which all threads share.
    guard count > 0 else { return [] }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, failure == 0 {
        let received = unsafe Glibc.read(descriptor, buffer.baseAddress! + filled, count - filled)
        if received == 0 { break }
        if received > 0 { filled += received } else if errno != EINTR { failure = errno }
      }
    }
    guard failure == 0 else { throw .from(errno: failure, path: path) }
    return bytes
  }

  /// Reads what there is, `most` bytes at most, and waits where there is nothing; empty at the end.
  package static func readSome(_ descriptor: Int32, atMost most: Int, path: String) throws(FileError)
    -> [UInt8]
  {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
      while true {
        let received = unsafe Glibc.read(descriptor, buffer.baseAddress!, most)
        if received < 0, errno == EINTR { continue }
        if received < 0 { failure = errno }
        filled = max(received, 0)
        return
      }
    }
    guard failure == 0 else { throw .from(errno: failure, path: path) }
    return bytes
  }

  /// Opens whatever has the name for reading; waits for the writer of a named pipe.
  package static func openForReading(_ path: String) throws(FileError) -> Int32 {
    let descriptor = retrying { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .from(errno: errno, path: path) }
    return descriptor
  }

  /// Has the system bring what was written to an open file to its disk, without waiting.
  ///
  /// A later `synchronize` waits for less. Where the file system cannot, nothing happens.
  package static func beginSynchronizing(_ descriptor: Int32) {
    ardf_begin_synchronizing(descriptor)
  }

  package static func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
    guard retrying({ fsync(descriptor) }) == 0 else { throw .from(errno: errno, path: path) }
  }

  package static func synchronizeDirectory(_ path: String) throws(FileError) {
    let descriptor = retrying { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .from(errno: errno, path: path) }
    defer { close(descriptor) }
    // Some file systems cannot synchronize a directory and say so with EINVAL.
    guard retrying({ fsync(descriptor) }) == 0 || errno == EINVAL else {
      throw .from(errno: errno, path: path)
    }
  }

  /// Whether this process was told to ignore a signal.
  package static func isIgnored(_ signal: Int32) -> Bool { ardf_is_ignored(signal) != 0 }

  package static func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

  /// Closes a file that was written: some file systems tell only now what went wrong.
  package static func closeWritten(_ descriptor: Int32, path: String) throws(FileError) {
    guard close(descriptor) == 0 || errno == EINTR else { throw .from(errno: errno, path: path) }
  }

  /// Lets others run for a hundredth of a second.
  package static func sleepAWhile() { usleep(10_000) }
}
