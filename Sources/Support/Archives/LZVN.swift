/// Blocks of LZVN: opcodes of one to three bytes, each of which gives some literals and a match.
enum LZVN {
  /// Operation of an opcode.
  private struct Step {
    /// Its own bytes.
    let length: Int
    var literals = 0
    var match = 0
    /// How far back the match lies; nil for as far as the last.
    var distance: Int?
  }

  private static let endOfBlock: UInt8 = 0x06
  /// The end is followed by seven bytes of nothing.
  private static let endLength = 8

  /// Appends the `count` bytes of a block.
  static func decompress(
    _ input: LZFSEInput, _ payload: Range<Int>, count: Int, into output: inout LZFSEOutput
  ) throws(LZFSEError) {
    let end = output.bytes.count + count
    var position = payload.lowerBound
    var distance = 0
    while true {
      guard position < payload.upperBound else { throw .malformed("a block without an end") }
      let opcode = input.bytes[position]
      if opcode == endOfBlock {
        guard position + endLength == payload.upperBound else {
          throw .malformed("a block that ends before its bytes do")
        }
        return
      }
      let step = try step(opcode, input, position, payload.upperBound)
      position += step.length
      guard step.literals <= payload.upperBound - position else {
        throw .malformed("literals that reach over their block")
      }
      try output.appendLiterals(position..<position + step.literals, of: input.bytes, end: end)
      position += step.literals
      distance = step.distance ?? distance
      try output.repeatBytes(step.match, distance: distance, end: end)
    }
  }

  private static func step(
    _ opcode: UInt8, _ input: LZFSEInput, _ position: Int, _ end: Int
  ) throws(LZFSEError) -> Step {
    let code = Int(opcode)
    /// The bytes of the opcode after its first, which must lie in the block.
    func more(_ count: Int) throws(LZFSEError) -> Int {
      guard position + count < end else {
        throw .malformed("an opcode that reaches over its block")
      }
      return try input.number(position + 1, count)
    }
    switch opcode {
    case 0x0e, 0x16: return Step(length: 1)
    case 0xe0: return Step(length: 2, literals: try more(1) + 16)
    case 0xe1...0xef: return Step(length: 1, literals: code & 15)
    case 0xf0: return Step(length: 2, match: try more(1) + 16)
    case 0xf1...0xff: return Step(length: 1, match: code & 15)
    case 0xa0...0xbf:
      let rest = try more(2)
      return Step(
        length: 3, literals: code >> 3 & 3, match: ((code & 7) << 2 | rest & 3) + 3,
        distance: rest >> 2)
    case 0x70...0x7f, 0xd0...0xdf, 0x1e, 0x26, 0x2e, 0x36, 0x3e:
      throw .malformed("an unknown opcode")
    default:
      let (literals, match) = (code >> 6, (code >> 3 & 7) + 3)
      switch code & 7 {
      case 6: return Step(length: 1, literals: literals, match: match)
      case 7: return Step(length: 3, literals: literals, match: match, distance: try more(2))
      case let high:
        return Step(
          length: 2, literals: literals, match: match, distance: high << 8 | (try more(1)))
      }
    }
  }
}
