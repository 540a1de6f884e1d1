import FileFormats

/// A message in CDR, the encoding of DDS that ROS 2 records (OMG's Common Data Representation, in XCDR's first version).
///
/// Four bytes say the order of bytes; after them, numbers are aligned to their own size.
struct CDRReader {
  private let body: FileBytes
  private let isBigEndian: Bool
  private var position = 0

  /// - Throws: `CDRError` for an encoding of another kind.
  init(_ message: FileBytes) throws(CDRError) {
    guard message.count >= Self.headerBytes else { throw .endsEarly }
    let kind = message.withBytes { Int($0[0]) << 8 | Int($0[1]) }
    switch kind {
    case 0: isBigEndian = true
    case 1: isBigEndian = false
    default: throw .otherEncoding(kind)
    }
    body = message.slice(Self.headerBytes..<message.count)
  }

  private static let headerBytes = 4

  private mutating func bits(_ count: Int) throws(CDRError) -> UInt64 {
    let start = (position + count - 1) / count * count
    guard start <= body.count - count else { throw .endsEarly }
    position = start + count
    let isBigEndian = isBigEndian
    return body.withBytes { bytes in
      (0..<count).reduce(UInt64(0)) { value, index in
        value << 8 | UInt64(bytes[isBigEndian ? start + index : start + count - 1 - index])
      }
    }
  }

  mutating func byte() throws(CDRError) -> UInt8 { UInt8(truncatingIfNeeded: try bits(1)) }
  mutating func unsigned() throws(CDRError) -> Int { Int(try bits(4)) }
  mutating func signed() throws(CDRError) -> Int {
    Int(Int32(truncatingIfNeeded: try bits(4)))
  }
  mutating func double() throws(CDRError) -> Double { Double(bitPattern: try bits(8)) }

  mutating func doubles(_ count: Int) throws(CDRError) -> [Double] {
    guard count <= body.count / 8 else { throw .endsEarly }
    var values: [Double] = []
    for _ in 0..<count { values.append(try double()) }
    return values
  }

  /// Text, which ends with a zero that its count counts.
  mutating func text() throws(CDRError) -> String {
    let bytes = try octets().array()
    guard bytes.count <= Self.longestText,
      let text = String(validating: bytes.last == 0 ? bytes.dropLast() : bytes[...], as: UTF8.self)
    else { throw .badText }
    return text
  }

  private static let longestText = 4096

  /// Bytes after their count, not copied.
  mutating func octets() throws(CDRError) -> FileBytes {
    let count = try unsigned()
    guard count <= body.count - position else { throw .endsEarly }
    defer { position += count }
    return body.slice(position..<position + count)
  }
}

/// Why a message cannot be decoded.
enum CDRError: Error, Equatable {
  case endsEarly
  case badText
  case otherEncoding(Int)
  case noPose

  var reason: String {
    switch self {
    case .endsEarly: "a message ends early"
    case .badText: "a message holds text that is not UTF-8"
    case .noPose: "a message holds no pose"
    case .otherEncoding(let kind): "a message is of encoding \(kind), plain CDR (0 or 1) is read"
    }
  }
}
