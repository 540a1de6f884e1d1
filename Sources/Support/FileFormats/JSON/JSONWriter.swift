extension JSONValue {
  /// The canonical text of the value: the same bytes for the same value, always.
  ///
  /// Keys are sorted by their UTF-8 bytes. Whole numbers are written as such. Other numbers are the
  /// shortest decimal text that reads back as the same double, with a fraction or an exponent, minus
  /// zero as `0.0`; numbers that are not finite become `null`. `pretty` indents by two spaces, keeps
  /// arrays of plain values on one line and ends with a newline.
  package func serialized(pretty: Bool = false) -> String {
    String(decoding: utf8(pretty: pretty), as: UTF8.self)
  }

  /// The bytes of that text.
  package func utf8(pretty: Bool = false) -> [UInt8] {
    var text: [UInt8] = []
    write(to: &text, indent: pretty ? 0 : nil)
    if pretty { text.append(UInt8(ascii: "\n")) }
    return text
  }

  private var isContainer: Bool {
    switch self {
    case .array, .object: true
    case .null, .bool, .integer, .number, .string: false
    }
  }

  private func write(to text: inout [UInt8], indent: Int?) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let value): text += (value ? "true" : "false").utf8
    case .integer(let value): text += String(value).utf8
    case .number(let value): text += Self.text(of: value).utf8
    case .string(let value): Self.write(value, to: &text)
    case .array(let elements):
      let isFlat = !elements.contains(where: \.isContainer)
      Self.write(
        elements, between: "[", "]", to: &text, indent: isFlat ? nil : indent,
        separator: isFlat && indent != nil ? ", " : ","
      ) { element, text, inner in element.write(to: &text, indent: inner) }
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      Self.write(sorted, between: "{", "}", to: &text, indent: indent, separator: ",") {
        member, text, inner in
        Self.write(member.key, to: &text)
        text += (inner == nil ? ":" : ": ").utf8
        member.value.write(to: &text, indent: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between open: String, _ close: String, to text: inout [UInt8], indent: Int?,
    separator: String, element: (Element, inout [UInt8], Int?) -> Void
  ) {
    text += open.utf8
    let inner = indent.map { $0 + 1 }
    for (index, value) in elements.enumerated() {
      if index > 0 { text += separator.utf8 }
      if let inner { newline(inner, &text) }
      element(value, &text, inner)
    }
    if let indent, !elements.isEmpty { newline(indent, &text) }
    text += close.utf8
  }

  private static func newline(_ indent: Int, _ text: inout [UInt8]) {
    text.append(UInt8(ascii: "\n"))
    text += repeatElement(UInt8(ascii: " "), count: 2 * indent)
  }

  private static func text(of value: Double) -> String {
    guard value.isFinite else { return "null" }
    return value == 0 ? "0.0" : value.description
  }

  private static func write(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    if string.utf8.count >= longText, isPlain(Array(string.utf8).span) {
      text += string.utf8
    } else if string.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in string.utf8 { write(byte, to: &text) }
    } else {
      for scalar in string.unicodeScalars {
        // As ASCII, what a terminal or a reader would take for something else.
        if scalar.value >= 0x80, scalar.isUnprintable {
          for unit in String(scalar).utf16 { escape(unit, to: &text) }
        } else {
          for byte in String(scalar).utf8 { write(byte, to: &text) }
        }
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// The length from which it is worth asking for a text as a whole whether it is written as it is.
  private static let longText = 256

  /// Whether a text is written as it is: ASCII, and nothing in it is escaped.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    var special: UInt8 = 0
    for index in text.indices {
      let byte = text[index]
      // Each gives 1 or 0; a branch would end the loop early, and a loop of known length is of vectors.
      special |= (byte < 0x20 ? 1 : 0) | (byte >= 0x7f ? 1 : 0)
      special |= (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
    }
    return special == 0
  }

  private static func write(_ byte: UInt8, to text: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): text += "\\\"".utf8
    case UInt8(ascii: "\\"): text += "\\\\".utf8
    case UInt8(ascii: "\n"): text += "\\n".utf8
    case UInt8(ascii: "\r"): text += "\\r".utf8
    case UInt8(ascii: "\t"): text += "\\t".utf8
    case 0..<0x20, 0x7f: escape(UInt16(byte), to: &text)
    default: text.append(byte)
    }
  }

  private static func escape(_ unit: UInt16, to text: inout [UInt8]) {
    text += "\\u\(zeroPadded(unit, 4, radix: 16))".utf8
  }
}
