/// The remedy for a path that does not exist and does not look like a file's.
enum MissingPath {
  /// The ending of messages about a path that does not exist.
  private static let endings = [
    ": no such file or directory", ": no such file or folder; check the path", ": no such file",
  ]

  /// The remedy, to be appended to the error's message; empty without one.
  static func remedy(for error: any Error) -> String {
    let text = "\(error)"
    guard let ending = endings.first(where: text.hasSuffix) else { return "" }
    let path = String(text.dropLast(ending.count))
    if path.contains("://") { return "; an address is no file: download it (curl -LO), and give the file" }
    return PathPattern.isPattern(path) ? "; a pattern is no file: give its name" : ""
  }
}
