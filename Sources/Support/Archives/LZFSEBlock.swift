/// A block of matches.
///
/// Literals, and triples of how many of them come next, how long the match after them is, and how far
/// back it lies, all coded by finite-state entropy (tANS; J. Duda, 2009).
struct LZFSEBlock {
  private let header: LZFSEHeader
  private let lengths: LZFSETable
  private let matches: LZFSETable
  private let distances: LZFSETable
  private let literals: LZFSETable

  /// Extra bits after each symbol of a length of literals, of a match's, and of a distance.
  private static let lengthBits = [Int](repeating: 0, count: 16) + [2, 3, 5, 8]
  private static let matchBits = [Int](repeating: 0, count: 16) + [3, 5, 8, 11]
  private static let distanceBits = (0..<64).map { $0 / 4 }
  private static let literalStreams = 4

  init(_ header: LZFSEHeader) throws(LZFSEError) {
    self.header = header
    let (symbols, states) = (header.frequencies, LZFSEHeader.states)
    lengths = try LZFSETable(symbols[0], states: states[0], extraBits: Self.lengthBits)
    matches = try LZFSETable(symbols[1], states: states[1], extraBits: Self.matchBits)
    distances = try LZFSETable(symbols[2], states: states[2], extraBits: Self.distanceBits)
    literals = try LZFSETable(symbols[3], states: states[3], extraBits: nil)
  }

  /// Appends the `count` bytes of the block; where it ends.
  func decompress(
    _ input: LZFSEInput, count: Int, into output: inout LZFSEOutput
  ) throws(LZFSEError) -> Int {
    let end = output.bytes.count + count
    let bytes = try literalBytes(input)
    var bits = LZFSEBits(input, header.matchBytes, unused: header.matchBits)
    var (length, match, distance) = (
      header.matchStates[0], header.matchStates[1], header.matchStates[2]
    )
    var position = 0
    var last = 0
    for _ in 0..<header.matches {
      let ahead = try lengths.next(&length, &bits)
      let repeated = try matches.next(&match, &bits)
      let back = try distances.next(&distance, &bits)
      guard ahead <= bytes.count - position else {
        throw .malformed("more literals than the block has")
      }
      try output.appendLiterals(position..<position + ahead, of: bytes, end: end)
      position += ahead
      if back != 0 { last = back }
      try output.repeatBytes(repeated, distance: last, end: end)
    }
    return header.matchBytes.upperBound
  }

  /// The literals, which four streams give in turn.
  private func literalBytes(_ input: LZFSEInput) throws(LZFSEError) -> [UInt8] {
    var bits = LZFSEBits(input, header.literalBytes, unused: header.literalBits)
    var states = header.literalStates
    var bytes: [UInt8] = []
    bytes.reserveCapacity(header.literals + Self.literalStreams)
    while bytes.count < header.literals {
      for stream in 0..<Self.literalStreams {
        bytes.append(UInt8(truncatingIfNeeded: try literals.next(&states[stream], &bits)))
      }
    }
    return bytes
  }
}

/// Bits from the end of some bytes to their beginning.
struct LZFSEBits {
  private let bytes: [UInt8]
  private let first: Int
  /// How many bits of all bytes lie before the next one's end.
  private var position: Int

  /// - `unused`: Minus the number of unused bits at the end, from -7 to 0.
  init(_ input: LZFSEInput, _ range: Range<Int>, unused: Int) {
    bytes = input.bytes
    first = range.lowerBound * 8
    position = range.upperBound * 8 + unused
  }

  /// The next `count` bits, at most 24.
  mutating func take(_ count: Int) throws(LZFSEError) -> Int {
    position -= count
    guard position >= first else { throw .malformed("fewer bits than its symbols have") }
    var value = 0
    var (byte, shift) = (position >> 3, -(position & 7))
    while shift < count {
      value |= shift < 0 ? Int(bytes[byte]) >> -shift : Int(bytes[byte]) << shift
      byte += 1
      shift += 8
    }
    return value & ((1 << count) - 1)
  }
}

/// The states of one kind of symbols.
struct LZFSETable {
  private struct State {
    /// Bits that say which state comes next, and bits of the value below them.
    let bits: Int
    let extra: Int
    /// Number added to the former.
    let base: Int
    /// The symbol, or the least of the values that it stands for.
    let value: Int
  }

  private let states: [State]

  /// - `frequencies`: How many states each symbol has.
  /// - `count`: How many there are.
  /// - `extraBits`: How many bits after each symbol say which value it stands for, each symbol's values after those of the
  ///   one before; nil for symbols that are values.
  init(_ frequencies: [Int], states count: Int, extraBits: [Int]?) throws(LZFSEError) {
    guard frequencies.reduce(0, +) <= count else {
      throw .malformed("more frequent symbols than states")
    }
    var states: [State] = []
    states.reserveCapacity(count)
    var least = 0
    for (symbol, frequency) in frequencies.enumerated() {
      let extra = extraBits?[symbol] ?? 0
      let value = extraBits == nil ? symbol : least
      least += 1 << extra
      guard frequency > 0 else { continue }
      // count <= frequency << bits < 2 count.
      let bits = frequency.leadingZeroBitCount - count.leadingZeroBitCount
      let wide = ((2 * count) >> bits) - frequency
      for index in 0..<frequency {
        states.append(
          index < wide
            ? State(
              bits: bits, extra: extra, base: ((frequency + index) << bits) - count, value: value)
            : State(bits: bits - 1, extra: extra, base: (index - wide) << (bits - 1), value: value))
      }
    }
    self.states = states
  }

  /// The value at a state, which becomes the next one.
  func next(_ state: inout Int, _ bits: inout LZFSEBits) throws(LZFSEError) -> Int {
    guard state < states.count else { throw .malformed("a state that no symbol has") }
    let found = states[state]
    let taken = try bits.take(found.bits + found.extra)
    state = found.base + (taken >> found.extra)
    return found.value + (taken & ((1 << found.extra) - 1))
  }
}
