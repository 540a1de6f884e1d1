import FileFormats
import Geometry
import Imaging

/// The classes of a network, and which of them are evaluated.
package struct EvaluatedClasses: Sendable {
  /// The network's class names, by index.
  package let names: [String]
  /// Indices of those evaluated; nil for all.
  package let only: Set<Int>?

  /// All classes, or some.
  package init(names: [String], only: Set<Int>? = nil) {
    self.names = names
    self.only = only
  }

  /// Whether labels of a class count.
  func contains(_ index: Int) -> Bool { only?.contains(index) ?? true }
}

/// Files of labeled pictures.
enum PictureFiles {
  /// All entries below a folder for which `isWanted` holds by their name, sorted by path; hidden ones left out, and
  /// folders.
  ///
  /// One that is not a file, such as a link that leads nowhere, is bad, and is for whoever reads it to name.
  static func below(_ folder: String, where isWanted: (String) -> Bool) throws(FileError) -> [String] {
    var found: [String] = []
    for name in try folderNames(of: folder) where !name.startsWithBytes(of: ".") {
      let path = "\(folder)/\(name)"
      switch pathKind(path) {
      case .folder: found += try below(path, where: isWanted)
      case .file, .pipe, .characterDevice, .other, nil: if isWanted(name) { found.append(path) }
      }
    }
    return found.sortedByBytes()
  }

  /// Width and height of a picture turned upright.
  static func uprightSize(_ path: String, limits: ImageLimits) throws(ImageError) -> (width: Int, height: Int)
  {
    let header = try ImageCodec.header(path: path, limits: limits)
    let size = header.orientation.apply(to: header.size)
    return (size.width, size.height)
  }
}
