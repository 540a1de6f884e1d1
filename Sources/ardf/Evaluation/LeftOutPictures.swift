import FileFormats
import Imaging

/// A picture of a set that is not evaluated, since it or its labels cannot be read.
package struct LeftOutPicture: Sendable, Equatable {
  /// The file, or what would be its path.
  package let path: String
  /// One line that names the file at fault.
  package let reason: String
}

/// The pictures of a set that are left out while it is read: a bad one ends none of the others.
struct LeftOutPictures {
  private(set) var entries: [LeftOutPicture] = []
  private var first: (any Error)?

  /// Runs a step on a picture and its labels; nil where one of them is bad.
  ///
  /// - Throws: what is not a fault of the picture or its labels.
  mutating func attempt<Result>(_ path: String, _ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch {
      guard Self.isOfOnePicture(error) else { throw error }
      add(path, error)
      return nil
    }
  }

  /// Leaves a picture out.
  mutating func add(_ path: String, _ error: any Error) {
    entries.append(LeftOutPicture(path: path, reason: "\(error)"))
    first = first ?? error
  }

  private static func isOfOnePicture(_ error: any Error) -> Bool {
    switch error {
    case is ImageError, is FileError: true
    case LabelError.badLine, LabelError.noPicture, LabelError.otherSize: true
    default: false
    }
  }

  /// Refuses a set in which nothing is labeled.
  ///
  /// - Throws: why the first picture was left out; `LabelError.nothingLabeled` where none was.
  func check(_ set: LabeledSet, path: String) throws {
    guard set.objectCount == 0 else { return }
    throw first ?? LabelError.nothingLabeled(path: path)
  }
}

/// Entries below a folder of pictures that are not evaluated, though they may be pictures.
package struct PassedOver: Sendable, Equatable {
  /// Entries that cannot be opened, since their names are not UTF-8; with each such byte as `\xHH`.
  package private(set) var unnamed: [String] = []
  /// Pictures of kinds that are not read.
  package private(set) var unread: [String] = []

  /// Nothing.
  package init() {}

  /// Adds label files whose names are not UTF-8, given as if they lay beside the pictures, unless their picture is there.
  mutating func add(unnamedLabels labels: [String]) {
    let known = NameSet(unnamed.map(fileStem))
    unnamed += labels.filter { !known.contains(fileStem($0)) }
  }

  /// Looks through a folder and those below it; hidden ones are left out.
  ///
  /// - Throws: `FileError`.
  package init(below folder: String) throws(FileError) {
    unnamed = try namesThatAreNotText(in: folder).filter { !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    for name in try folderNames(of: folder) where !name.startsWithBytes(of: ".") {
      let path = "\(folder)/\(name)"
      if pathKind(path) == .folder {
        let inner = try PassedOver(below: path)
        unnamed += inner.unnamed
        unread += inner.unread
      } else if hasUnreadPictureEnding(name) {
        unread.append(path)
      }
    }
  }
}
