import FileFormats

/// The place of an output, before any work is done.
package enum OutputPlace {
  /// Refuses the name of a folder that is taken by a file, and one below a file.
  ///
  /// - Parameter path: The folder of results; a link counts as what it leads to.
  /// - Throws: `OutputError`.
  package static func checkFolder(_ path: String) throws(OutputError) {
    try OutputError.mapping { () throws(FileError) in
      if let kind = pathKind(path), kind != .folder { throw .notADirectory(path: path) }
      try checkParents(of: path)
    }
  }

  /// Refuses a name that lies below a file.
  ///
  /// - Throws: `FileError.notADirectory`, which names the file.
  static func checkParents(of path: String) throws(FileError) {
    var folder = AtomicOutputs.split(path).folder
    while pathKind(folder) == nil, folder != ".", folder != "/" {
      folder = AtomicOutputs.split(folder).folder
    }
    if let kind = pathKind(folder), kind != .folder { throw .notADirectory(path: folder) }
  }
}
