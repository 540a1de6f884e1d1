/// A defect of a JSON text, with the byte offset where it was found.
public enum JSONError: Error, Equatable, CustomStringConvertible {
  /// The text is larger than the limit.
  case tooLarge(bytes: Int, limit: Int)
  /// Arrays and objects are nested deeper than the limit.
  case tooDeep(limit: Int, offset: Int)
  /// More values than the limit.
  case tooManyValues(limit: Int, offset: Int)
  /// More arrays and objects than the limit.
  case tooManyContainers(limit: Int, offset: Int)
  /// The text ends inside a value.
  case unexpectedEnd(offset: Int)
  /// A byte that cannot stand here.
  case unexpectedByte(UInt8, expected: String, offset: Int)
  /// An object names the same key twice.
  case duplicateKey(String, offset: Int)
  /// An unescaped control character inside a string.
  case controlCharacter(UInt8, offset: Int)
  /// A backslash followed by something JSON does not define, or half a surrogate pair.
  case invalidEscape(offset: Int)
  /// A string that is not UTF-8.
  case invalidUTF8(offset: Int)
  /// A number that JSON does not allow (leading zero, bare minus, missing digits).
  case invalidNumber(offset: Int)
  /// A number beyond the range of a double.
  case numberOutOfRange(offset: Int)
  /// Something after the document's value.
  case trailingBytes(offset: Int)

  /// One line that names the defect and its place.
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit):
      "JSON of \(bytes) bytes is over the limit of \(limit): check that it is the right file"
    case .tooDeep(let limit, let offset): "JSON nested deeper than \(limit) levels at byte \(offset)"
    case .tooManyValues(let limit, let offset): "JSON with more than \(limit) values at byte \(offset)"
    case .tooManyContainers(let limit, let offset):
      "JSON with more than \(limit) lists and objects at byte \(offset)"
    case .unexpectedEnd(let offset): "JSON ends early, at byte \(offset): the file is truncated"
    case .unexpectedByte(let byte, let expected, let offset):
      "JSON has \(Self.name(byte)) at byte \(offset) where \(expected) is expected"
    case .duplicateKey(let key, let offset):
      "JSON names the key \"\(printableName(key))\" twice, again at byte \(offset)"
    case .controlCharacter(let byte, let offset):
      "JSON string holds the control character \(Self.name(byte)) at byte \(offset)"
    case .invalidEscape(let offset): "JSON string has an invalid escape at byte \(offset)"
    case .invalidUTF8(let offset): "JSON string at byte \(offset) is not UTF-8"
    case .invalidNumber(let offset): "JSON number at byte \(offset) is malformed"
    case .numberOutOfRange(let offset): "JSON number at byte \(offset) is out of range"
    case .trailingBytes(let offset): "JSON document is followed by more text at byte \(offset)"
    }
  }

  private static func name(_ byte: UInt8) -> String {
    if (0x21...0x7e).contains(byte) { return "'\(Character(UnicodeScalar(byte)))'" }
    return "0x" + zeroPadded(byte, 2, radix: 16)
  }
}

/// Limits on a JSON text.
package struct JSONLimits: Sendable {
  /// The largest text in bytes.
  package var bytes: Int
  /// The deepest nesting of arrays and objects.
  package var depth: Int
  /// The most values, keys not counted.
  package var values: Int
  /// The most arrays and objects: in memory each takes some 200 bytes, of a text 2.
  package var containers: Int

  /// Limits for documents that people and tools write: 32 MiB, 64 levels, 700,000 values, 200,000 of them arrays
  /// and objects; so that a document takes little more memory than its text.
  package static let standard = JSONLimits(bytes: 32 << 20, depth: 64, values: 700_000)

  /// The standard limits, with what a text holds in proportion to its size where that is larger than standard.
  package init(bytes: Int) {
    let share = max(1, Double(bytes) / Double(Self.standard.bytes))
    self.init(
      bytes: bytes, depth: Self.standard.depth, values: Int(clamping: Double(Self.standard.values) * share),
      containers: Int(clamping: Double(Self.standard.containers) * share))
  }

  /// Limits of one's own.
  package init(bytes: Int, depth: Int, values: Int, containers: Int = 200_000) {
    self.bytes = bytes
    self.depth = depth
    self.values = values
    self.containers = containers
  }
}

extension JSONError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
