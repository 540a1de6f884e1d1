extension JSONValue {
  /// Parses a JSON text (RFC 8259) strictly: one value, UTF-8, no duplicate keys, no control
  /// characters in strings, within `limits`; an editor's byte-order mark may lead.
  ///
  /// `python`: takes `NaN`, `Infinity` and `-Infinity` for numbers, as Python's module writes them: they are to be
  /// refused where a number is needed, and harm nothing elsewhere.
  package static func parse(
    _ bytes: [UInt8], limits: JSONLimits = .standard, python: Bool = false
  ) throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.bytes else { throw .tooLarge(bytes: bytes.count, limit: limits.bytes) }
    var parser = JSONParser(bytes: bytes, limits: limits, python: python)
    return try parser.document()
  }

  /// Parses a JSON text; see `parse(_:limits:)`.
  package static func parse(_ text: String, limits: JSONLimits = .standard) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8), limits: limits)
  }

  /// Reads and parses the file at `path`.
  ///
  /// - Throws: `FileError` or `JSONError`.
  package static func read(
    path: String, limits: JSONLimits = .standard, python: Bool = false
  ) throws -> JSONValue {
    if let size = POSIX.identity(of: path)?.size, size > limits.bytes {
      throw JSONError.tooLarge(bytes: size, limit: limits.bytes)
    }
    let bytes = try FileBytes.contents(of: path)
    guard !bytes.isEmpty else { throw FileError.empty(path: path) }
    return try parse(bytes, limits: limits, python: python)
  }
}

/// A recursive-descent parser whose recursion is bounded by `JSONLimits.depth`.
struct JSONParser {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private let python: Bool
  private var position = 0
  private var depth = 0
  private var values = 0
  private var containers = 0

  init(bytes: [UInt8], limits: JSONLimits, python: Bool) {
    self.bytes = bytes
    self.limits = limits
    self.python = python
  }

  mutating func document() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipWhitespace()
    let value = try value()
    skipWhitespace()
    guard position == bytes.count else { throw .trailingBytes(offset: position) }
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func skipWhitespace() {
    while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
  }

  private func unexpected(_ expected: String) -> JSONError {
    guard let byte = next else { return .unexpectedEnd(offset: position) }
    return .unexpectedByte(byte, expected: expected, offset: position)
  }

  private mutating func expect(_ byte: UInt8, _ name: String) throws(JSONError) {
    guard next == byte else { throw unexpected(name) }
    position += 1
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    values += 1
    guard values <= limits.values else { throw .tooManyValues(limit: limits.values, offset: position) }
    switch next {
    case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
    case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "N") where python: return try literal("NaN", .number(.nan))
    case UInt8(ascii: "I") where python: return try literal("Infinity", .number(.infinity))
    case .some(let byte) where byte == UInt8(ascii: "-") || Self.isDigit(byte): return try number()
    default: throw unexpected("a value")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    depth += 1
    guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth, offset: position) }
    containers += 1
    guard containers <= limits.containers else {
      throw .tooManyContainers(limit: limits.containers, offset: position)
    }
    position += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func literal(_ text: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for byte in text.utf8 { try expect(byte, text) }
    return value
  }

  private mutating func array() throws(JSONError) -> JSONValue {
    var elements: [JSONValue] = []
    skipWhitespace()
    if next == UInt8(ascii: "]") {
      position += 1
      return .array([])
    }
    while true {
      skipWhitespace()
      elements.append(try value())
      skipWhitespace()
      if next == UInt8(ascii: ",") {
        position += 1
      } else {
        try expect(UInt8(ascii: "]"), "',' or ']'")
        return .array(elements)
      }
    }
  }

  private mutating func object() throws(JSONError) -> JSONValue {
    var members = NameTable<JSONValue>()
    skipWhitespace()
    if next == UInt8(ascii: "}") {
      position += 1
      return .object(members)
    }
    while true {
      skipWhitespace()
      let start = position
      guard next == UInt8(ascii: "\"") else { throw unexpected("a key") }
      let key = try string()
      guard members[key] == nil else { throw .duplicateKey(key, offset: start) }
      skipWhitespace()
      try expect(UInt8(ascii: ":"), "':'")
      skipWhitespace()
      members[key] = try value()
      skipWhitespace()
      if next == UInt8(ascii: ",") {
        position += 1
      } else {
        try expect(UInt8(ascii: "}"), "',' or '}'")
        return .object(members)
      }
    }
  }

  private mutating func string() throws(JSONError) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    var run = position
    while true {
      guard let byte = next else { throw .unexpectedEnd(offset: position) }
      switch byte {
      case UInt8(ascii: "\""):
        let rest = bytes[run..<position]
        position += 1
        // Most texts have no escape, and are taken as they stand.
        let string =
          run == start + 1
          ? String(validating: rest, as: UTF8.self) : String(validating: text + rest, as: UTF8.self)
        guard let string else { throw .invalidUTF8(offset: start) }
        return string
      case UInt8(ascii: "\\"):
        text += bytes[run..<position]
        text += String(try escape()).utf8
        run = position
      case 0..<0x20, 0x7f: throw .controlCharacter(byte, offset: position)
      default: position += 1
      }
    }
  }

  private mutating func escape() throws(JSONError) -> UnicodeScalar {
    let start = position
    position += 1
    guard let byte = next else { throw .unexpectedEnd(offset: position) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UnicodeScalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(start)
      if let scalar = UnicodeScalar(unit) { return scalar }
      guard unit < 0xdc00, next == UInt8(ascii: "\\") else { throw .invalidEscape(offset: start) }
      position += 1
      guard next == UInt8(ascii: "u") else { throw .invalidEscape(offset: start) }
      position += 1
      let low = try hexadecimal(start)
      guard (0xdc00..<0xe000).contains(low),
        let scalar = UnicodeScalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
      else { throw .invalidEscape(offset: start) }
      return scalar
    default: throw .invalidEscape(offset: start)
    }
  }

  private mutating func hexadecimal(_ start: Int) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next else { throw .unexpectedEnd(offset: position) }
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw .invalidEscape(offset: start)
      }
      unit = unit << 4 + UInt32(digit)
      position += 1
    }
    return unit
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = next, Self.isDigit(byte) { position += 1 }
    return position - start
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    if python, next == UInt8(ascii: "I") { return try literal("Infinity", .number(-.infinity)) }
    let hasLeadingZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !(hasLeadingZero && whole > 1) else { throw .invalidNumber(offset: start) }
    var isInteger = true
    if next == UInt8(ascii: ".") {
      position += 1
      isInteger = false
      guard digits() > 0 else { throw .invalidNumber(offset: start) }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      isInteger = false
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard digits() > 0 else { throw .invalidNumber(offset: start) }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let value = CheckedInt(text) { return value.json }
    guard let value = Double(text), value.isFinite else { throw .numberOutOfRange(offset: start) }
    return .number(value)
  }
}
