/// The remedy for a path that does not exist.
enum MissingPath {
  private static let saysWhatToDo = ": no such file or folder; check the path"
  /// The ending of messages about a path that does not exist.
  private static let endings = [": no such file or directory", saysWhatToDo, ": no such file"]
  /// The endings of checkpoints' names.
  private static let ofCheckpoints = [".pt", ".pth"]

  /// The remedy, to be appended to the error's message; empty for other errors, and where the message says it.
  static func remedy(for error: any Error) -> String {
    let text = "\(error)"
    guard let ending = endings.first(where: text.hasSuffix) else { return "" }
    let path = String(text.dropLast(ending.count))
    if path.contains("://") { return "; an address is not a file: download it (curl -LO), and give the file" }
    if PathPattern.isPattern(path) { return "; a pattern is not a file: give its name" }
    if ending == saysWhatToDo { return "" }
    return ofCheckpoints.contains(where: path.hasSuffix)
      ? "; check the path, or fetch a published network: ardf weights get yolo11n-seg" : "; check the path"
  }
}
