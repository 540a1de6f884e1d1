import AppCore
import FileFormats

/// Pictures in a folder whose format is not supported: the command processes the others and fails at its end, naming
/// these.
///
/// Other files beside pictures, such as texts, are ignored.
enum UnreadPictures {
  /// File name endings of picture formats that are not read.
  private static let endings = [
    ".gif", ".jxl", ".j2k", ".jpx", ".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2", ".raf", ".pef",
    ".srw",
    ".tga", ".psd", ".exr", ".pbm",
  ]

  /// Whether a file's name has the ending of any picture format.
  static func isPicture(_ name: String) -> Bool {
    endings.contains { name.lowercased().hasSuffix($0) }
  }

  /// The paths of the pictures left out of a folder.
  static func names(of source: any CaptureSource) -> [String] {
    guard source.layout == .images else { return [] }
    return source.skipped.map(\.name).filter(isPicture).map { "\(source.path)/\($0)" }
  }

  /// - Throws: `CommandError.overBudget`, which names them.
  static func check(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    throw CommandError.overBudget(
      "\(counted(names.count, "picture is", "pictures are")) of a kind that is not read; the others are done: "
        + names.prefix(mostNamed).joined(separator: ", ")
        + (names.count > mostNamed ? " and \(names.count - mostNamed) more" : "")
        + "; convert to JPEG or PNG what you need")
  }

  private static let mostNamed = 20
}
