import FileFormats

/// The folder of a command's results: whole under its name in the end, or not there.
package struct OutputFolder {
  private let folder: AtomicDirectory
  private let prefix: String

  /// Refuses, before any work is done, an existing name without `force`, a folder that holds what `ardf` did not
  /// write, and one that is, holds or lies in an input.
  package init(_ path: String, force: Bool, inputs: [String?]) throws {
    try OutputConflict.check(path, against: inputs.compactMap(\.self))
    try OutputPlace.checkFolder(path)
    AtomicOutputs.removeLeftovers(of: path)
    folder = try OutputError.mapping { () throws(FileError) in try AtomicDirectory(path: path, force: force) }
    prefix = ""
  }

  /// A folder among those of a run, which has already checked inputs and removed leftovers.
  ///
  /// - `mendsChanges`: Lets files be replaced that were changed since `ardf` wrote them.
  package init(ofFrame path: String, force: Bool, mendsChanges: Bool = false) throws {
    folder = try OutputError.mapping { () throws(FileError) in
      try AtomicDirectory(path: path, force: force, mendsChanges: mendsChanges)
    }
    prefix = ""
  }

  private init(_ folder: AtomicDirectory, prefix: String) {
    self.folder = folder
    self.prefix = prefix
  }

  /// The part of the folder beneath `name`.
  package func subfolder(_ name: String) -> OutputFolder { OutputFolder(folder, prefix: prefix + name + "/") }

  package func write(_ bytes: [UInt8], to name: String) throws {
    try OutputError.mapping { () throws(FileError) in try folder.write(bytes, to: prefix + name) }
  }

  package func write(_ document: JSONValue, to name: String) throws {
    try write(document.utf8(pretty: true), to: name)
  }

  /// Writes an array as a `.npy` file.
  package func write(_ array: NPYArray, to name: String) throws {
    try OutputError.mapping { () throws(FileError) in try folder.write(array, to: prefix + name) }
  }

  /// Where a file that another program writes is to lie until `commit`.
  package func path(_ name: String) -> String { folder.path(prefix + name) }

  /// Gives the folder its name.
  package func commit() throws {
    try OutputError.mapping { () throws(FileError) in try folder.commit() }
  }
}
