import FileFormats

/// A plain value of Python's: of a pickle, of JSON, or as Python writes it.
indirect enum PlainValue: Sendable {
  case none
  case flag(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([PlainValue])
  case dictionary([(key: PlainValue, value: PlainValue)])
  /// An object of a class, or something else that is not plain.
  case other

  /// The text of Python's `str`; nil of containers.
  var shown: String? {
    switch self {
    case .none: "None"
    case .flag(let flag): flag ? "True" : "False"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .text(let text): text
    case .list, .dictionary, .other: nil
    }
  }

  /// For messages.
  var text: String {
    switch self {
    case .list(let elements): "[\(elements.prefix(8).map { $0.shown ?? "..." }.joined(separator: ", "))]"
    case .dictionary, .other: "something else than a list"
    default: shown ?? ""
    }
  }

  /// The value of Python's `int`; nil where that fails or loses something.
  var index: Int? {
    switch self {
    case .flag(let flag): flag ? 1 : 0
    case .integer(let integer): integer
    case .number(let number): Int(exactly: number)
    case .text(let text): FileFormats.integer(of: text, in: .min ... .max)
    case .none, .list, .dictionary, .other: nil
    }
  }
}

extension PlainValue {
  /// A value of a text, as JSON or as Python writes it.
  init(written text: String) {
    self = (try? JSONValue.parse(text)).map { PlainValue($0) } ?? PythonLiteral.parse(text) ?? .other
  }

  /// A value of JSON.
  init(_ json: JSONValue) {
    switch json {
    case .null: self = .none
    case .bool(let flag): self = .flag(flag)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = .number(number)
    case .string(let text): self = .text(text)
    case .array(let elements): self = .list(elements.map { PlainValue($0) })
    case .object(let members):
      self = .dictionary(members.map { (key: .text($0.key), value: PlainValue($0.value)) })
    }
  }

  /// A value of a pickle; what lists and dictionaries hold is read two levels deep, as class names lie.
  init(_ value: PickleValue, _ heap: PickleHeap, depth: Int = 2) {
    switch value {
    case .none: self = .none
    case .bool(let flag): self = .flag(flag)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = .number(number)
    case .text(let text): self = .text(text)
    case .hugeInteger, .bytes: self = .other
    case .compound:
      if let scalar = Self.numpyScalar(value, heap) {
        self = scalar
      } else if depth > 0, let elements = heap.elements(value) {
        self = .list(elements.map { PlainValue($0, heap, depth: depth - 1) })
      } else if depth > 0, let members = heap.members(value) {
        self = .dictionary(
          members.map { (PlainValue($0.key, heap, depth: 0), PlainValue($0.value, heap, depth: depth - 1)) })
      } else {
        self = .other
      }
    }
  }

  /// One number or text of NumPy's: `scalar(dtype, bytes)`.
  private static func numpyScalar(_ value: PickleValue, _ heap: PickleHeap) -> PlainValue? {
    guard let node = heap.node(value), case .record(let name) = node.kind,
      name.hasPrefix("numpy."), name.hasSuffix("multiarray.scalar"), node.values.count == 2,
      let type = heap.node(node.values[0]), type.kind == .record("numpy.dtype"),
      case .text(let code)? = type.values.first, let bytes = bytes(node.values[1], heap)
    else { return nil }
    // The state's second element is the order of bytes; "|" has none.
    if case .text(">")? = heap.elements(type.state)?.dropFirst().first { return .other }
    let number = UInt64(littleEndianBytes: bytes)
    switch (code.drop { "<=|".contains($0) }, bytes.count) {
    case ("b1", 1): return .flag(number != 0)
    case ("i1", 1): return .integer(Int(Int8(truncatingIfNeeded: number)))
    case ("i2", 2): return .integer(Int(Int16(truncatingIfNeeded: number)))
    case ("i4", 4): return .integer(Int(Int32(truncatingIfNeeded: number)))
    case ("i8", 8): return .integer(Int(truncatingIfNeeded: number))
    case ("u1", 1), ("u2", 2), ("u4", 4): return .integer(Int(number))
    case ("f4", 4): return .number(Double(Float(bitPattern: UInt32(number))))
    case ("f8", 8): return .number(Double(bitPattern: number))
    case (let text, _) where text.hasPrefix("U") && bytes.count % 4 == 0: return characters(bytes)
    default: return .other
    }
  }

  /// Text of four bytes a character, filled up with zeros.
  private static func characters(_ bytes: [UInt8]) -> PlainValue {
    var text = String.UnicodeScalarView()
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let code = UInt32(littleEndianBytes: bytes[start..<start + 4])
      guard let scalar = Unicode.Scalar(code) else { return .other }
      text.append(scalar)
    }
    while text.last?.value == 0 { text.removeLast() }
    return .text(String(text))
  }

  /// Bytes; protocol 2 writes them as text that is encoded again.
  private static func bytes(_ value: PickleValue, _ heap: PickleHeap) -> [UInt8]? {
    if case .bytes(let bytes) = value { return bytes }
    guard let node = heap.node(value), node.kind == .record("_codecs.encode"),
      case .text(let text)? = node.values.first
    else { return nil }
    let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    return bytes.count == text.unicodeScalars.count ? bytes : nil
  }
}
