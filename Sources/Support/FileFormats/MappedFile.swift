import Glibc

/// A regular file mapped read-only into memory for as long as the object lives.
///
/// Unsafe by nature; every way to the bytes goes through a bounds-checked span. Of a file that is cut short while
/// mapped, see `MappedFileFaults`; of one that is written to, `checkUnchanged()`.
package final class MappedFile: Sendable {
  /// The path the file was opened at.
  package let path: String
  /// The size of the file in bytes, at least 1.
  package let count: Int

  private let address: UInt
  private let identity: POSIX.Identity
  private let entry: MappedFileFaults.Entry

  /// Maps the file at `path`.
  ///
  /// - Throws: `FileError` when the file is missing, empty, a directory, not regular or unreadable.
  package init(path: String) throws(FileError) {
    let (descriptor, identity) = try POSIX.openRegularFile(path)
    defer { close(descriptor) }
    let size = identity.size
    guard size > 0 else { throw .empty(path: path) }
    let mapping = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else {
      throw .from(errno: errno, path: path)
    }
    self.path = path
    count = size
    address = UInt(bitPattern: mapping)
    self.identity = identity
    entry = MappedFileFaults.Entry(start: address, count: size, path: path)
  }

  /// Checks that the file was not written to since it was opened.
  ///
  /// A file that was replaced by renaming, or removed, is unharmed: the mapping keeps the old one.
  /// - Throws: `FileError.changed`.
  package func checkUnchanged() throws(FileError) {
    guard let now = POSIX.identity(of: path), now.isSameFile(as: identity) else { return }
    guard now == identity else { throw .changed(path: path) }
  }

  /// Gives back the memory of the pages that lie in `range` as a whole; they are read again when needed.
  func release(_ range: Range<Int>) {
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    let first = (address + UInt(range.lowerBound) + page - 1) / page * page
    let last = (address + UInt(range.upperBound)) / page * page
    if first < last {
      unsafe madvise(UnsafeMutableRawPointer(bitPattern: first), Int(last - first), MADV_DONTNEED)
    }
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

  /// Calls `body` with all the bytes.
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe withUnsafeBytes { raw in
      try unsafe body(Span(_unsafeElements: raw.bindMemory(to: UInt8.self)))
    }
  }

  /// Calls `body` with all the bytes as a raw buffer, valid only inside the call.
  @unsafe package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
  }
}
