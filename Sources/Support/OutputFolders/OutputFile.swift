import FileFormats

/// A single file of results.
package struct OutputFile {
  package let path: String
  private let force: Bool

  /// Refuses, before any work is done, an existing name without `force`, a file that `ardf` did not write, an input,
  /// and a folder that is not there or may not be written to; inputs that are not there come first.
  ///
  /// `isOurs`: Tells files of ours that hold no other sign by their first line.
  package init(_ path: String, force: Bool, inputs: [String?], isOurs: ([UInt8]) -> Bool = { _ in false })
    throws
  {
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
  package init?(
    orStandardOutput path: String, force: Bool, inputs: [String?], isOurs: ([UInt8]) -> Bool = { _ in false }
  ) throws {
    guard path != "-" else { return nil }
    try self.init(path, force: force, inputs: inputs, isOurs: isOurs)
  }

  package func write(_ text: String) throws { try write(Array(text.utf8)) }

  package func write(_ bytes: [UInt8]) throws {
    try OutputError.mapping { () throws(FileError) in
      try AtomicFile.write(bytes, to: path, overwrite: force)
    }
  }

  /// Runs a step that writes the file.
  package func writing<Result>(_ step: (_ path: String, _ overwrite: Bool) throws -> Result) throws -> Result
  {
    do {
      return try step(path, force)
    } catch let error as FileError {
      throw OutputError(error: error)
    }
  }
}
