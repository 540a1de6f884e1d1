/// Bytes that come when they come: standard input, a named pipe, what another program prints.
package final class InputPipe: Sendable {
  /// What messages call it.
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

  /// Opens a named pipe or a file.
  ///
  /// - Throws: `FileError` as the system reports it.
  package convenience init(path: String) throws(FileError) {
    self.init(name: path, owning: try POSIX.openForReading(path))
  }

  deinit { if isOwn { POSIX.closeDescriptor(descriptor) } }

  /// What there is, `most` bytes at most; waits where there is nothing.
  ///
  /// Empty at the end.
  ///
  /// - Throws: `FileError.io`.
  package func read(atMost most: Int) throws(FileError) -> [UInt8] {
    try POSIX.readSome(descriptor, atMost: most, path: name)
  }
}
