import AppCore
import FileFormats
import Models

/// What to do where a path leads to nothing, and is no path of a file at all.
enum MissingPath {
  /// The remedy for what an error names, to be written after it; empty where the error says all there is to say.
  static func remedy(for error: any Error) -> String {
    switch innermost(error) {
    case FileError.missing(let path), CaptureError.notFound(let path): remedy(for: path)
    default: ""
    }
  }

  private static func remedy(for path: String) -> String {
    if path.contains("://") { return "; an address is no file: download it (curl -LO), and give the file" }
    guard PathPattern.isPattern(path) else { return "" }
    return "; a pattern is no file: give its name"
  }
}
