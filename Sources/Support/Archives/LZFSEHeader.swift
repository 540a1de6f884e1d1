/// The header of a block of matches: how many there are, where the coded bits begin, and how frequent each symbol is.
struct LZFSEHeader {
  /// The kinds of symbols, in the order of their tables: literals' and matches' lengths, distances, literals.
  static let symbols = [20, 20, 64, 256]
  /// The states of each kind.
  static let states = [64, 64, 256, 1024]

  private static let mostLiterals = 40_000
  private static let mostMatches = 10_000
  /// The bytes before the tables of `bvx1`, and all of its bytes with two that fill the last word.
  private static let plainHead = 50
  private static let plainSize = 772
  /// The bytes before the tables of `bvx2`.
  private static let packedHead = 32

  let literals: Int
  let matches: Int
  /// Where the bits of the literals lie, and those of the matches after them.
  let literalBytes: Range<Int>
  let matchBytes: Range<Int>
  /// Minus the number of unused bits of the last byte, from -7 to 0.
  let literalBits: Int
  let matchBits: Int
  /// The first states of the four streams of literals.
  let literalStates: [Int]
  /// The first states of lengths of literals, lengths of matches and distances.
  let matchStates: [Int]
  /// The frequencies of each kind's symbols.
  let frequencies: [[Int]]

  init(_ input: LZFSEInput, at start: Int, hasPackedTables: Bool) throws(LZFSEError) {
    let size: Int
    let (literalCount, matchCount): (Int, Int)
    var flat: [Int] = []
    if hasPackedTables {
      /// Bits of the header's packed words, of 8 bytes each.
      func field(_ word: Int, _ shift: Int, _ bits: Int) throws(LZFSEError) -> Int {
        let first = shift / 8
        let wide = try input.number(start + 8 + 8 * word + first, min(7, 8 - first))
        return wide >> (shift % 8) & ((1 << bits) - 1)
      }
      literals = try field(0, 0, 20)
      literalCount = try field(0, 20, 20)
      matches = try field(0, 40, 20)
      literalBits = try field(0, 60, 3) - 7
      var states: [Int] = []
      for index in 0..<4 { states.append(try field(1, 10 * index, 10)) }
      literalStates = states
      matchCount = try field(1, 40, 20)
      matchBits = try field(1, 60, 3) - 7
      size = try field(2, 0, 32)
      matchStates = [try field(2, 32, 10), try field(2, 42, 10), try field(2, 52, 10)]
      guard size >= Self.packedHead else { throw .malformed("a header shorter than itself") }
      let tables = try input.range(start + Self.packedHead, size - Self.packedHead)
      flat = try Self.unpacked(input.bytes[tables])
    } else {
      size = Self.plainSize
      literals = try input.number(start + 12, 4)
      matches = try input.number(start + 16, 4)
      literalCount = try input.number(start + 20, 4)
      matchCount = try input.number(start + 24, 4)
      func signed(_ offset: Int) throws(LZFSEError) -> Int {
        Int(Int32(truncatingIfNeeded: try input.number(start + offset, 4)))
      }
      func shorts(_ offset: Int, _ count: Int) throws(LZFSEError) -> [Int] {
        var values: [Int] = []
        for index in 0..<count { values.append(try input.number(start + offset + 2 * index, 2)) }
        return values
      }
      literalBits = try signed(28)
      literalStates = try shorts(32, 4)
      matchBits = try signed(40)
      matchStates = try shorts(44, 3)
      flat = try shorts(Self.plainHead, Self.symbols.reduce(0, +))
    }
    guard literals <= Self.mostLiterals, matches <= Self.mostMatches else {
      throw .malformed("more literals or matches than a block has")
    }
    guard (-7...0).contains(literalBits), (-7...0).contains(matchBits) else {
      throw .malformed("bits that begin beyond their bytes")
    }
    literalBytes = try input.range(start + size, literalCount)
    matchBytes = try input.range(literalBytes.upperBound, matchCount)
    var first = 0
    frequencies = Self.symbols.map { count in
      defer { first += count }
      return Array(flat[first..<first + count])
    }
  }

  /// Frequencies as `bvx2` packs them: few bits for small ones, least significant first.
  ///
  /// No bytes stand for none.
  private static func unpacked(_ bytes: ArraySlice<UInt8>) throws(LZFSEError) -> [Int] {
    let count = symbols.reduce(0, +)
    guard !bytes.isEmpty else { return [Int](repeating: 0, count: count) }
    var values: [Int] = []
    var (accumulated, bits) = (0, 0)
    var rest = bytes[...]
    while values.count < count {
      while bits < 14, let byte = rest.popFirst() {
        accumulated |= Int(byte) << bits
        bits += 8
      }
      let (value, length) = frequency(accumulated)
      guard length <= bits else { throw .malformed("tables that end early") }
      values.append(value)
      accumulated >>= length
      bits -= length
    }
    guard rest.isEmpty, bits < 8 else { throw .malformed("tables longer than their symbols") }
    return values
  }

  /// The frequency that some bits begin with, and how many of them it takes.
  private static func frequency(_ bits: Int) -> (value: Int, length: Int) {
    switch bits & 3 {
    case 0: return (0, 2)
    case 2: return (1, 2)
    case 1: return (bits & 4 == 0 ? 2 : 3, 3)
    default: break
    }
    if bits & 4 == 0 { return (4 + (bits >> 3 & 3), 5) }
    return bits & 8 == 0 ? (8 + (bits >> 4 & 15), 8) : (24 + (bits >> 4 & 0x3ff), 14)
  }
}
