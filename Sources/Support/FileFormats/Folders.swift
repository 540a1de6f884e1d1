/// Folders that may not be there yet.
package enum Folders {
  /// Makes a folder and those above it, where they are missing.
  ///
  /// - Throws: `FileError`; `.notADirectory` where something else has the name.
  package static func create(_ path: String) throws(FileError) {
    if let kind = try? POSIX.kind(of: path), kind != .link {
      guard kind == .directory else { throw .notADirectory(path: path) }
      return
    }
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
      try create(String(path[..<slash]))
    }
    do {
      try POSIX.makeDirectory(path)
    } catch .alreadyExists {
      // A link to a folder, or made by another process meanwhile.
    }
  }

  /// The folders that `create` would make, outermost first.
  package static func missing(along path: String) -> [String] {
    guard !path.isEmpty, pathKind(path) == nil else { return [] }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
      return [path]
    }
    return missing(along: String(path[..<slash])) + [path]
  }

  /// Removes folders that were made, as far as nothing was put into them.
  ///
  /// - `made`: Outermost first.
  package static func removeEmpty(_ made: [String]) {
    for folder in made.reversed() { POSIX.removeEmptyDirectory(folder) }
  }
}
