/// Bytes that come when they come: standard input, a named pipe, what another program prints.
package final class InputPipe: Sendable {
  /// Name in messages.
  package let name: String
  private let descriptor: Int32
  private let isOwn: Bool

  private init(name: String, descriptor: Int32, isOwn: Bool) {
    self.name = name
    self.descriptor = descriptor
    self.isOwn = isOwn
  }

  /// Standard input, which stays open.
  package static let standardInput = InputPipe(name: "standard input", descriptor: 0, isOwn: false)

  /// Takes over an open descriptor, and closes it in the end.
  package convenience init(name: String, owning descriptor: Int32) {
    self.init(name: name, descriptor: descriptor, isOwn: true)
  }

  /// Opens a named pipe, whose writer is waited for, or a file.
  ///
  /// - Throws: `FileError` as the system reports it.
  package convenience init(path: String) throws(FileError) {
    self.init(name: path, owning: try POSIX.openForReading(path))
  }

  /// Opens a list: a file, `-` for standard input, or what a shell makes of `<(...)`; nothing that is waited for.
  ///
  /// - Throws: `FileError.notARegularFile` for a named pipe, a socket or a device; else as the system reports it.
  package static func list(_ path: String) throws(FileError) -> InputPipe {
    if path == "-" || path == "/dev/stdin" { return .standardInput }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return try InputPipe(path: path)
    }
    return try InputPipe(file: path)
  }

  /// Opens a regular file.
  ///
  /// - Throws: `FileError`.
  package convenience init(file path: String) throws(FileError) {
    self.init(name: path, owning: try POSIX.openRegularFile(path).descriptor)
  }

  deinit { if isOwn { POSIX.closeDescriptor(descriptor) } }

  /// Reads the available bytes, `most` at most; waits where there are none yet.
  ///
  /// Empty at the end.
  ///
  /// - Throws: `FileError.io`.
  package func read(atMost most: Int) throws(FileError) -> [UInt8] {
    try POSIX.readSome(descriptor, atMost: most, path: name)
  }
}
