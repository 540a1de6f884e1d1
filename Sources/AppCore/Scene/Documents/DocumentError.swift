import FileFormats

/// A defect of a document that one stage wrote for another.
package enum DocumentError: Error, Equatable, CustomStringConvertible {
  /// The document's `schema` is another one or missing.
  case schema(found: String?, expected: String)
  /// A field is missing or has the wrong type or value.
  case field(String, expected: String)
  /// The document speaks of a picture of another size.
  case imageSize(found: String, expected: String)
  /// The document is of another frame.
  case image(found: String, expected: String)

  /// The defect and the remedy.
  package var description: String { printableMessage(sentence) }

  private var sentence: String {
    switch self {
    case .schema(let found, let expected):
      "schema is \(found.map { "\"\($0)\"" } ?? "missing"), expected \"\(expected)\"; is it the right file?"
    case .field(let name, let expected): "field \"\(name)\" must be \(expected)"
    case .image(let found, let expected):
      "is of \(found), the capture's frame is \(expected); give the files of one frame"
    case .imageSize(let found, let expected):
      "speaks of a picture of \(found), the capture's is \(expected); give the files of one frame"
    }
  }
}

extension DocumentError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
