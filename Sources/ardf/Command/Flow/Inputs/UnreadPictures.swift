import AppCore
import FileFormats

/// Pictures in a folder whose format is not supported: the command processes the others and fails at its end, naming
/// these.
///
/// Other files beside pictures, such as texts, are ignored.
enum UnreadPictures {
  /// The paths of the pictures left out of a folder.
  static func names(of source: any CaptureSource) -> [String] {
    guard source.layout == .images else { return [] }
    return source.skipped.map(\.name).filter(hasUnreadPictureEnding).map { "\(source.path)/\($0)" }
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

  /// Why such a picture is left out.
  static let reason = "of a kind that is not read; convert it to JPEG or PNG"

  private static let mostNamed = 20
}
