import AppCore
import FileFormats

/// Pictures in a folder that are of a kind that is not read: the others are done, and in the end the command says that these
/// are not.
///
/// Anything else that lies beside pictures, such as a text, is no picture, and no failure.
enum UnreadPictures {
  /// What names of pictures end in that other programs write.
  private static let endings = [
    ".gif", ".jxl", ".j2k", ".jpx", ".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2", ".raf", ".pef",
    ".srw",
    ".tga", ".psd", ".exr", ".pbm",
  ]

  /// Whether a file's name says that it is a picture, of whatever kind.
  static func isPicture(_ name: String) -> Bool {
    endings.contains { name.lowercased().hasSuffix($0) }
  }

  /// Those that a folder of pictures left out, by their paths.
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
