extension Unicode.Scalar {
  /// Whether a terminal may take it for a command, or a reader may not see it or not where it is.
  var isUnprintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}

/// A text from a file as it may stand in a message: control characters escaped, cut after `limit` characters.
package func printableName(_ name: String, limit: Int = 120) -> String {
  printable(name, limit: limit, keeping: "")
}

/// A whole message as one line of bounded length, whatever a file has put into it.
package func printableMessage(_ message: String) -> String { printableName(message, limit: 800) }

/// A line of any length as one line, whatever a file has put into it.
package func printableLine(_ line: String) -> String { printableName(line, limit: .max) }

/// Lines of text as they may stand on a terminal: all but line feeds and tabs is escaped.
package func printableText(_ text: String) -> String { printable(text, limit: .max, keeping: "\n\t") }

private func printable(_ text: String, limit: Int, keeping kept: String) -> String {
  let isPlain = text.utf8.allSatisfy { (0x20..<0x7f).contains($0) || ($0 == 0x0a && !kept.isEmpty) }
  if isPlain, text.utf8.count <= limit { return text }
  var result = ""
  for (count, scalar) in text.unicodeScalars.enumerated() {
    guard count < limit else { return result + "..." }
    if scalar.isUnprintable, !kept.unicodeScalars.contains(scalar) {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// A name that is not text, with each byte beyond printable ASCII as `\xHH`.
package func escapedName(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    (0x20..<0x7f).contains(byte)
      ? String(UnicodeScalar(byte))
      : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }.joined()
}

/// A name as one word of a shell's command that a message tells people to run.
package func shellWord(_ name: String) -> String {
  let isPlain = name.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./,:@%+=".utf8.contains(byte)
    }
  }
  // A program would take a leading dash for an option.
  let place = name.hasPrefix("-") ? "./" + name : name
  return isPlain && !name.isEmpty ? place : "'" + place.replacing("'", with: #"'\''"#) + "'"
}

/// Comma-separated values after RFC 4180, with plain line ends.
///
/// A value that a spreadsheet would take for a formula gets an apostrophe before it, so that it is read as text; a sign
/// alone, such as the `-` of standard input, is not a formula.
package func csvTable(_ header: [String], _ rows: [[String]]) -> String {
  func cell(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
    let safe = isFormula && text.utf8.count > 1 && Double(text) == nil ? "'" + text : text
    let isQuoted = safe.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
    return isQuoted ? "\"\(safe.replacing("\"", with: "\"\""))\"" : safe
  }
  return ([header] + rows).map { $0.map(cell).joined(separator: ",") + "\n" }.joined()
}
