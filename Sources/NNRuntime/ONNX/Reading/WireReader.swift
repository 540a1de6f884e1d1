import FileFormats

/// The fields of one protocol-buffer message, without a copy of its bytes.
///
/// A length is checked before it is believed, and messages nest `deepest` times at most.
struct WireReader {
  /// Messages within messages; exporters nest a dozen.
  static let deepest = 100

  /// The value of a field by its wire type.
  enum Payload {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case bytes(FileBytes)
  }

  /// One field of a message.
  struct Field {
    let number: Int
    let payload: Payload
    fileprivate let depth: Int
  }

  private let bytes: FileBytes
  private let depth: Int

  /// The outermost message.
  init(_ bytes: FileBytes) { self.init(bytes, depth: 0) }

  private init(_ bytes: FileBytes, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }

  /// The message that a field holds.
  init(_ field: Field) throws {
    guard field.depth < Self.deepest else {
      throw ONNXError.malformed("messages are nested more than \(Self.deepest) deep")
    }
    self.init(try field.bytes, depth: field.depth + 1)
  }

  /// Calls `body` with each field in order; what `body` does not know is passed over by it.
  func forEach(_ body: (Field) throws -> Void) throws {
    var position = 0
    while position < bytes.count {
      let (field, next) = try bytes.withBytes { try Self.field(in: $0, at: position, of: bytes, depth) }
      try body(field)
      position = next
    }
  }

  private static func field(
    in span: Span<UInt8>, at start: Int, of bytes: FileBytes, _ depth: Int
  ) throws -> (Field, Int) {
    var position = start
    let key = try varint(in: span, at: &position)
    guard key >> 3 > 0, key >> 3 <= 0x1fff_ffff else { throw cut("a field has no number") }
    func made(_ payload: Payload) -> (Field, Int) {
      (Field(number: Int(key >> 3), payload: payload, depth: depth), position)
    }
    switch key & 7 {
    case 0: return made(.varint(try varint(in: span, at: &position)))
    case 1: return made(.fixed64(try fixed(in: span, at: &position, count: 8)))
    case 2:
      let length = try varint(in: span, at: &position)
      guard length <= UInt64(span.count - position) else {
        throw cut("a field of \(counted(length, "byte")) where \(span.count - position) are left")
      }
      let range = position..<position + Int(length)
      position = range.upperBound
      return made(.bytes(bytes.slice(range)))
    case 5: return made(.fixed32(UInt32(try fixed(in: span, at: &position, count: 4))))
    default: throw cut("a field of wire type \(key & 7)")
    }
  }

  /// One number of at most ten bytes, seven bits each.
  static func varint(in span: Span<UInt8>, at position: inout Int) throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < span.count else { throw cut("a number is cut off") }
      let byte = span[position]
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw cut("a number of more than ten bytes")
  }

  private static func fixed(in span: Span<UInt8>, at position: inout Int, count: Int) throws -> UInt64 {
    guard span.count - position >= count else { throw cut("a number is cut off") }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(span[position + index]) << UInt64(8 * index) }
    position += count
    return value
  }

  private static func cut(_ what: String) -> ONNXError {
    .malformed("not an ONNX model, or a damaged one: \(what)")
  }
}

extension WireReader.Field {
  /// The bytes of a message, a text or packed numbers.
  var bytes: FileBytes {
    get throws {
      guard case .bytes(let bytes) = payload else { throw wrongType }
      return bytes
    }
  }

  /// The text; what is not UTF-8 is damaged.
  var text: String {
    get throws {
      let array = try bytes.array()
      guard let text = String(validating: array, as: UTF8.self) else {
        throw ONNXError.malformed("a name or text that is not UTF-8")
      }
      return text
    }
  }

  var signed: Int64 {
    get throws {
      guard case .varint(let value) = payload else { throw wrongType }
      return Int64(bitPattern: value)
    }
  }

  var float: Float {
    get throws {
      guard case .fixed32(let value) = payload else { throw wrongType }
      return Float(bitPattern: value)
    }
  }

  /// One number, or all of a packed field.
  func appendIntegers(to values: inout [Int64]) throws {
    if case .varint(let value) = payload {
      values.append(Int64(bitPattern: value))
      return
    }
    try bytes.withBytes { span in
      var position = 0
      while position < span.count {
        values.append(Int64(bitPattern: try WireReader.varint(in: span, at: &position)))
      }
    }
  }

  func appendFloats(to values: inout [Float]) throws {
    if case .fixed32(let value) = payload {
      values.append(Float(bitPattern: value))
      return
    }
    let bytes = try bytes
    guard bytes.count.isMultiple(of: 4) else { throw wrongType }
    values += bytes.elements(of: Float.self)
  }

  func appendDoubles(to values: inout [Double]) throws {
    if case .fixed64(let value) = payload {
      values.append(Double(bitPattern: value))
      return
    }
    let bytes = try bytes
    guard bytes.count.isMultiple(of: 8) else { throw wrongType }
    values += bytes.elements(of: Double.self)
  }

  private var wrongType: ONNXError { .malformed("field \(number) of a message has another type than ONNX's") }
}
