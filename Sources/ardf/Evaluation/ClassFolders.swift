import FileFormats

/// Pictures in a folder for each class, as Ultralytics has them: `val/CLASS/NAME.jpg`.
package enum ClassFolders {
  /// A picture and its class.
  package struct Picture: Sendable, Equatable {
    /// The file.
    package let path: String
    /// Index among the network's classes.
    package let classIndex: Int
  }

  /// The pictures below a folder, class by class.
  ///
  /// Folders are the network's classes by name, or, where they have other names and are as many, in alphabetical order.
  ///
  /// - Throws: `LabelError`, `FileError`.
  package static func read(_ folder: String, names: [String]) throws -> [Picture] {
    guard let kind = pathKind(folder) else { throw FileError.missing(path: folder) }
    guard kind == .folder else { throw FileError.notADirectory(path: folder) }
    let folders = try folderNames(of: folder)
      .filter { !$0.hasPrefix(".") && pathKind("\(folder)/\($0)") == .folder }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard !folders.isEmpty else { throw LabelError.noClasses(folder: folder) }
    let classes = try folders.enumerated().map { position, name throws(LabelError) in
      if let index = names.firstIndex(where: { $0.isSameName(as: name) }) { return index }
      let strangers = folders.filter { folder in !names.contains { $0.isSameName(as: folder) } }
      guard strangers.count == folders.count, folders.count == names.count else {
        throw .unknownClassFolder(path: "\(folder)/\(name)", count: names.count)
      }
      return position
    }
    let pictures = try zip(folders, classes).flatMap { name, index in
      try PictureFiles.below("\(folder)/\(name)", where: hasPictureEnding).map {
        Picture(path: $0, classIndex: index)
      }
    }
    guard !pictures.isEmpty else { throw LabelError.noPictures(folder: folder) }
    return pictures
  }
}
