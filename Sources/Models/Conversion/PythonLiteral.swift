import FileFormats

/// Reads a value as Python writes it: `{0: 'person', 1: "traffic light"}`.
struct PythonLiteral {
  private static let deepest = 8

  private let scalars: [Unicode.Scalar]
  private var position = 0

  private init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The value of the whole text; nil where the text is not a literal.
  static func parse(_ text: String) -> PlainValue? {
    var reader = PythonLiteral(text)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.position == reader.scalars.count ? value : nil
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func skipSpace() {
    while let next, next.properties.isWhitespace { position += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) -> PlainValue? {
    guard depth < Self.deepest else { return nil }
    skipSpace()
    switch next {
    case "{": return dictionary(depth: depth)
    case "[": return list(until: "]", depth: depth)
    case "(": return list(until: ")", depth: depth)
    case "'", "\"": return text()
    default: return word()
    }
  }

  private mutating func dictionary(depth: Int) -> PlainValue? {
    position += 1
    var members: [(key: PlainValue, value: PlainValue)] = []
    while !take("}") {
      if !members.isEmpty {
        guard take(",") else { return nil }
        if take("}") { break }
      }
      guard let key = value(depth: depth + 1), take(":"), let value = value(depth: depth + 1) else {
        return nil
      }
      members.append((key, value))
    }
    return .dictionary(members)
  }

  private mutating func list(until end: Unicode.Scalar, depth: Int) -> PlainValue? {
    position += 1
    var elements: [PlainValue] = []
    while !take(end) {
      if !elements.isEmpty {
        guard take(",") else { return nil }
        if take(end) { break }
      }
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    }
    return .list(elements)
  }

  private mutating func text() -> PlainValue? {
    let quote = scalars[position]
    position += 1
    var text = String.UnicodeScalarView()
    while let scalar = next {
      position += 1
      if scalar == quote { return .text(String(text)) }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard let escaped = escape() else { return nil }
      text.append(escaped)
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let code = next else { return nil }
    position += 1
    switch code {
    case "\\", "'", "\"": return code
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "x": return hexadecimal(2)
    case "u": return hexadecimal(4)
    case "U": return hexadecimal(8)
    default: return nil
    }
  }

  private mutating func hexadecimal(_ digits: Int) -> Unicode.Scalar? {
    guard position + digits <= scalars.count else { return nil }
    let text = String(String.UnicodeScalarView(scalars[position..<position + digits]))
    position += digits
    guard text.allSatisfy(\.isHexDigit) else { return nil }
    return Unicode.Scalar(text.reduce(UInt32(0)) { $0 << 4 | UInt32($1.hexDigitValue ?? 0) })
  }

  private mutating func word() -> PlainValue? {
    let start = position
    while let next, !next.properties.isWhitespace, !",:{}[]()".unicodeScalars.contains(next) { position += 1 }
    let word = String(String.UnicodeScalarView(scalars[start..<position]))
    switch word {
    case "True": return .flag(true)
    case "False": return .flag(false)
    case "None": return PlainValue.none
    default:
      if let integer = FileFormats.integer(of: word, in: .min ... .max) { return .integer(integer) }
      guard word.unicodeScalars.first.map({ "+-.0123456789".unicodeScalars.contains($0) }) == true else {
        return nil
      }
      return Double(word).map(PlainValue.number)
    }
  }
}
