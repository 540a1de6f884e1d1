import FoundationEssentials

/// A fresh folder of the system's temporary place, removed with all it holds when the object goes.
public final class TemporaryDirectory: Sendable {
  /// The folder's path.
  public let path: String

  /// Creates the folder.
  public init() throws {
    path =
      FileManager.default.temporaryDirectory.appendingPathComponent("ardf-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The path of an entry of the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes bytes to an entry of the folder, makes the folders on its way, and returns its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: file(name)).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// Writes UTF-8 text to an entry of the folder and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// The bytes of an entry of the folder.
  public func read(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  /// The names of the folder's entries, hidden ones included, sorted.
  public func entries() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
