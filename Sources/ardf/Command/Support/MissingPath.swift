/// The remedy where a path leads to nothing, and is no path of a file at all.
enum MissingPath {
  /// How messages end that name a path at which there is nothing, whatever wraps the error.
  private static let endings = [
    ": no such file or directory", ": no such file or folder; check the path", ": no such file",
  ]

  /// The remedy, to be written after the error's message; empty where that says all there is to say.
  static func remedy(for error: any Error) -> String {
    let text = "\(error)"
    guard let ending = endings.first(where: text.hasSuffix) else { return "" }
    let path = String(text.dropLast(ending.count))
    if path.contains("://") { return "; an address is no file: download it (curl -LO), and give the file" }
    return PathPattern.isPattern(path) ? "; a pattern is no file: give its name" : ""
  }
}
