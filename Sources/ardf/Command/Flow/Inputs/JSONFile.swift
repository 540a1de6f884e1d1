import FileFormats

/// JSON files that options name.
enum JSONFile {
  /// A text that begins like one of these words, but is another.
  private static let words = ["true", "false", "null"]

  /// The error of a file without JSON: what it holds instead, and what to give.
  struct NoJSON: ClassifiedError, CustomStringConvertible {
    let content: String?
    let wanted: String

    var description: String {
      (content.map { "is \($0), not JSON" } ?? "is not JSON") + "; give \(wanted)"
    }
    var fault: Fault { .malformedInput }
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - wanted: What the option takes, for messages.
  ///   - limits: Limits on the text.
  /// - Returns: The document.
  /// - Throws: `NoJSON`, `JSONError`, `FileError`.
  static func read(_ path: String, wanted: String, limits: JSONLimits = .standard) throws -> JSONValue {
    try expecting(wanted, in: path) { try JSONValue.read(path: path, limits: limits) }
  }

  /// Runs a step that reads a file, which says what is to be given where the file holds no JSON.
  ///
  /// - Throws: `NoJSON`, and what the step throws.
  static func expecting<Content>(_ wanted: String, in path: String, _ read: () throws -> Content) throws
    -> Content
  {
    do {
      return try read()
    } catch JSONError.unexpectedByte(_, let expected, let offset)
      where offset == 0 || offset < expected.count && words.contains(expected)
    {
      let kind = FileKind(of: path)
      throw NoJSON(content: kind == .text ? nil : kind?.name, wanted: wanted)
    }
  }
}
