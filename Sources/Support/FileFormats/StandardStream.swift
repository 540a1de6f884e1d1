import Glibc
import Synchronization

/// Standard output and standard error, written at once and without buffering.
package enum StandardStream: Int32, Sendable {
  /// For results.
  case output = 1
  /// For everything else.
  case error = 2

  private static let closed = Mutex<Set<Int32>>([])

  /// Whether people read it as it comes.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Whether its reader has gone away.
  package var isClosed: Bool { Self.closed.withLock { $0.contains(rawValue) } }

  /// Writes text as UTF-8; see `write(_:)`.
  package func write(_ text: String) throws(FileError) { try write(Array(text.utf8)) }

  /// Writes bytes.
  ///
  /// A reader that has gone away is not an error: what is written after that is dropped.
  /// - Throws: `FileError.noSpace` or `.io`.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    guard !Self.closed.withLock({ $0.contains(rawValue) }) else { return }
    do {
      try POSIX.write(bytes.span, to: rawValue, path: self == .output ? "standard output" : "standard error")
    } catch .io(_, EPIPE) {
      _ = Self.closed.withLock { $0.insert(rawValue) }
    }
  }
}
