import FileFormats

/// Why a stream of LZFSE cannot be decompressed.
package enum LZFSEError: Error, Equatable, CustomStringConvertible {
  /// The bytes end before the stream does.
  case truncated
  /// More bytes than the limit.
  case tooLarge(limit: Int)
  /// A block contradicts itself.
  case malformed(String)

  /// The defect.
  package var description: String {
    switch self {
    case .truncated: "LZFSE data end too early"
    case .tooLarge(let limit): "LZFSE data give more than \(limit) bytes"
    case .malformed(let reason): "malformed LZFSE data: \(reason)"
    }
  }
}

extension LZFSEError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}

/// Decompression of LZFSE, Apple's format for fast compression, of which all kinds of blocks are read.
///
/// A stream is blocks that begin with a word each: `bvx-` stored bytes, `bvxn` LZVN, `bvx1` and `bvx2` matches coded by
/// finite-state entropy, the latter with packed tables, `bvx$` the end.
package enum LZFSE {
  private static let stored = word("bvx-")
  private static let lzvn = word("bvxn")
  private static let plainTables = word("bvx1")
  private static let packedTables = word("bvx2")
  private static let end = word("bvx$")

  /// The bytes of a whole stream; what follows its end is not read.
  ///
  /// - Parameters:
  ///   - stream: The compressed bytes.
  ///   - limit: The most bytes that they may give. No more is allocated.
  /// - Returns: The bytes.
  /// - Throws: `LZFSEError`.
  package static func decompress(_ stream: [UInt8], limit: Int) throws(LZFSEError) -> [UInt8] {
    let input = LZFSEInput(stream)
    var output = LZFSEOutput(limit: limit)
    var position = 0
    while true {
      let kind = try input.number(position, 4)
      if kind == end { return output.bytes }
      let count = try input.number(position + 4, 4)
      guard count <= limit - output.bytes.count else { throw .tooLarge(limit: limit) }
      let first = output.bytes.count
      switch kind {
      case stored:
        output.append(try input.range(position + 8, count), of: stream)
        position += 8 + count
      case lzvn:
        let payload = try input.range(position + 12, try input.number(position + 8, 4))
        try LZVN.decompress(input, payload, count: count, into: &output)
        position = payload.upperBound
      case plainTables, packedTables:
        let header = try LZFSEHeader(input, at: position, hasPackedTables: kind == packedTables)
        position = try LZFSEBlock(header).decompress(input, count: count, into: &output)
      default: throw .malformed("a block of an unknown kind")
      }
      guard output.bytes.count - first == count else {
        throw .malformed(
          "a block gives \(counted(output.bytes.count - first, "byte")) and not \(count), as it says")
      }
    }
  }

  private static func word(_ text: String) -> Int {
    Int(littleEndianBytes: text.utf8)
  }
}

/// The compressed bytes, never read beyond their end.
struct LZFSEInput {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A number of at most seven bytes, least significant first.
  func number(_ position: Int, _ count: Int) throws(LZFSEError) -> Int {
    guard position <= bytes.count - count else { throw .truncated }
    var value = 0
    for index in 0..<count { value |= Int(bytes[position + index]) << (8 * index) }
    return value
  }

  /// Some bytes' places.
  func range(_ position: Int, _ count: Int) throws(LZFSEError) -> Range<Int> {
    guard count <= bytes.count, position <= bytes.count - count else { throw .truncated }
    return position..<position + count
  }
}

/// The decompressed bytes, parts of which matches repeat.
struct LZFSEOutput {
  private(set) var bytes: [UInt8] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Appends bytes of an array; the caller has checked the limit.
  mutating func append(_ range: Range<Int>, of source: [UInt8]) { bytes += source[range] }

  /// Appends `count` bytes from `distance` before the end, of which some may be those appended here, unless that makes more
  /// than `end`.
  mutating func repeatBytes(_ count: Int, distance: Int, end: Int) throws(LZFSEError) {
    guard count <= end - bytes.count else { throw .malformed("a match longer than its block") }
    guard count > 0 else { return }
    guard distance > 0, distance <= bytes.count else {
      throw .malformed("a match before the beginning")
    }
    if distance >= count {
      bytes += bytes[bytes.count - distance..<bytes.count - distance + count]
    } else {
      for _ in 0..<count { bytes.append(bytes[bytes.count - distance]) }
    }
  }

  /// Appends literal bytes, unless that makes more than `end`.
  mutating func appendLiterals(
    _ range: Range<Int>, of source: [UInt8], end: Int
  ) throws(LZFSEError) {
    guard range.count <= end - bytes.count else {
      throw .malformed("literals longer than their block")
    }
    append(range, of: source)
  }
}
