import Glibc

/// A run of bytes that is either an array or a part of a mapped file; slices copy nothing.
///
/// Unsafe only where a mapped file's pointer is turned into a span.
package struct FileBytes: Sendable {
  private enum Source: Sendable {
    case array([UInt8])
    case mapped(MappedFile)
  }

  private let source: Source
  private let range: Range<Int>

  /// The number of bytes.
  package var count: Int { range.count }

  /// All of `bytes`.
  package init(_ bytes: [UInt8]) {
    source = .array(bytes)
    range = 0..<bytes.count
  }

  /// All of a mapped file.
  package init(_ file: MappedFile) {
    source = .mapped(file)
    range = 0..<file.count
  }

  private init(source: Source, range: Range<Int>) {
    self.source = source
    self.range = range
  }

  /// Maps the file at `path`; an empty file gives no bytes.
  package init(path: String) throws(FileError) {
    do {
      self.init(try MappedFile(path: path))
    } catch .empty {
      self.init([])
    }
  }

  /// The bytes of the file at `path`, read and not mapped: memory holds them once.
  package static func contents(of path: String) throws(FileError) -> [UInt8] {
    let (descriptor, identity) = try POSIX.openRegularFile(path)
    defer { close(descriptor) }
    return try POSIX.read(descriptor, count: identity.size, path: path)
  }

  /// Checks that a mapped file was not written to since it was opened; see `MappedFile.checkUnchanged()`.
  package func checkUnchanged() throws(FileError) {
    if case .mapped(let file) = source { try file.checkUnchanged() }
  }

  /// Gives back the memory of a mapped file's bytes, for whoever has read them and does not need them soon.
  package func release() {
    if case .mapped(let file) = source { file.release(range) }
  }

  /// The part of these bytes at `subrange`, sharing their memory; the range must lie within.
  package func slice(_ subrange: Range<Int>) -> FileBytes {
    precondition(subrange.lowerBound >= 0 && subrange.upperBound <= count, "slice outside the bytes")
    let start = range.lowerBound
    return FileBytes(source: source, range: start + subrange.lowerBound..<start + subrange.upperBound)
  }

  /// Calls `body` with the bytes.
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    switch source {
    case .array(let bytes): try body(bytes.span.extracting(range))
    case .mapped(let file): try file.withBytes { try body($0.extracting(range)) }
    }
  }

  /// Calls `body` with the bytes as a raw buffer, valid only inside the call.
  @unsafe package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    switch source {
    case .array(let bytes):
      try unsafe bytes.withUnsafeBytes { try unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    case .mapped(let file):
      try unsafe file.withUnsafeBytes { try unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }

  /// The bytes as an array: the one that holds them where there is one, else a copy.
  package func array() -> [UInt8] {
    if case .array(let bytes) = source, range == bytes.indices { return bytes }
    return elements(of: UInt8.self)
  }

  /// A copy of the bytes as elements in this machine's byte order; a tail shorter than one element
  /// is left out.
  package func elements<Element: BitwiseCopyable>(of type: Element.Type) -> [Element] {
    let length = count / MemoryLayout<Element>.stride
    return unsafe withUnsafeBytes { raw in
      unsafe [Element](count: length) { elements in
        unsafe memcpy(elements, raw.baseAddress!, length * MemoryLayout<Element>.stride)
      }
    }
  }
}

/// Calls `body` with the bytes of plain values where they lie in memory, in this machine's byte order.
package func withRawBytes<Element: BitwiseCopyable, Result, Failure: Error>(
  of elements: [Element], _ body: (RawSpan) throws(Failure) -> Result
) throws(Failure) -> Result {
  // Swift 6.2.3 has `Span.bytes` for safe, later ones do not.
  let result = unsafe elements.withUnsafeBytes { buffer in
    Swift.Result { () throws(Failure) in try body(unsafe RawSpan(_unsafeBytes: buffer)) }
  }
  return try result.get()
}

/// The bytes of an array of plain values in this machine's byte order.
package func rawBytes<Element: BitwiseCopyable>(of elements: [Element]) -> [UInt8] {
  unsafe elements.withUnsafeBytes { unsafe [UInt8]($0) }
}
