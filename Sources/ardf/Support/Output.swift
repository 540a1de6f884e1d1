import FileFormats
import FoundationEssentials

/// A result that could not be written.
struct OutputError: Error, CustomStringConvertible {
  let error: FileError

  var description: String { "\(error)" }

  var status: ExitStatus {
    switch error {
    case .noSpace, .io, .changed: .inputOutput
    default: .cannotCreate
    }
  }

  /// Runs a step that writes.
  static func mapping<Result>(_ body: () throws(FileError) -> Result) throws(OutputError) -> Result {
    do throws(FileError) {
      return try body()
    } catch {
      throw OutputError(error: error)
    }
  }
}

/// The folder of a command's results: whole under its name in the end, or not there.
struct OutputFolder {
  private let folder: AtomicDirectory
  private let prefix: String

  /// Refuses an existing name without `force`, before any work is done.
  init(_ path: String, force: Bool) throws {
    folder = try OutputError.mapping { () throws(FileError) in try AtomicDirectory(path: path, force: force) }
    prefix = ""
  }

  private init(_ folder: AtomicDirectory, prefix: String) {
    self.folder = folder
    self.prefix = prefix
  }

  /// The part of the folder beneath `name`.
  func subfolder(_ name: String) -> OutputFolder { OutputFolder(folder, prefix: prefix + name + "/") }

  func write(_ bytes: [UInt8], to name: String) throws {
    try OutputError.mapping { () throws(FileError) in try folder.write(bytes, to: prefix + name) }
  }

  func write(_ document: JSONValue, to name: String) throws {
    try write(Array(document.serialized(pretty: true).utf8), to: name)
  }

  /// Where a file that another program writes is to lie until `commit`.
  func path(_ name: String) -> String { folder.path(prefix + name) }

  /// Gives the folder its name.
  func commit() throws {
    try OutputError.mapping { () throws(FileError) in try folder.commit() }
  }
}

/// Checks on single output files.
enum Output {
  /// Fails early where a file of that name would not be replaced in the end.
  static func refuseExisting(_ path: String) throws(OutputError) {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw OutputError(error: .alreadyExists(path: path))
    }
  }
}
