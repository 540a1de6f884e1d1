import FileFormats
import OutputFolders

/// A result that could not be written.
struct OutputError: ClassifiedError, CustomStringConvertible {
  let error: FileError

  var description: String { "\(error)" }

  var fault: Fault { error.faultOfOutput }

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

  /// Refuses, before any work is done, an existing name without `force`, a folder that holds what `ardf` did not
  /// write, and one that is, holds or lies in an input.
  init(_ path: String, force: Bool, inputs: [String?]) throws {
    try OutputConflict.check(path, against: inputs.compactMap(\.self))
    AtomicOutputs.removeLeftovers(of: path)
    folder = try OutputError.mapping { () throws(FileError) in try AtomicDirectory(path: path, force: force) }
    prefix = ""
  }

  /// A folder among those of a run, which has already checked inputs and removed leftovers.
  init(ofFrame path: String, force: Bool) throws {
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

/// A single file of results.
struct OutputFile {
  let path: String
  private let force: Bool

  /// Refuses, before any work is done, an existing name without `force`, a file that `ardf` did not write, an input,
  /// and a folder that is not there or may not be written to; inputs that are not there come first.
  ///
  /// `isOurs`: Tells files of ours that hold no other sign by their first line.
  init(_ path: String, force: Bool, inputs: [String?], isOurs: ([UInt8]) -> Bool = { _ in false }) throws {
    let inputs = inputs.compactMap(\.self)
    if let missing = inputs.first(where: { !fileExists($0) }) { throw FileError.missing(path: missing) }
    try OutputConflict.check(path, against: inputs)
    AtomicOutputs.removeLeftovers(of: path)
    try OutputError.mapping { () throws(FileError) in
      try WrittenFile.checkReplaceable(path, force: force, isOurs: isOurs)
    }
    self.path = path
    self.force = force
  }

  /// A file, or nil for standard output.
  init?(
    orStandardOutput path: String, force: Bool, inputs: [String?], isOurs: ([UInt8]) -> Bool = { _ in false }
  ) throws {
    guard path != "-" else { return nil }
    try self.init(path, force: force, inputs: inputs, isOurs: isOurs)
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    try OutputError.mapping { () throws(FileError) in
      try AtomicFile.write(bytes, to: path, overwrite: force)
    }
  }

  /// Runs a step that writes the file.
  func writing<Result>(_ step: (_ path: String, _ overwrite: Bool) throws -> Result) throws -> Result {
    do {
      return try step(path, force)
    } catch let error as FileError {
      throw OutputError(error: error)
    }
  }
}
