/// Reads the modules of a QR code by ISO/IEC 18004, without what corrects errors: a code that holds any is refused.
struct QRReader {
  private let side: Int
  private let dark: [[Bool]]

  init(side: Int, isDark: (Int, Int) -> Bool) {
    self.side = side
    dark = (0..<side).map { row in (0..<side).map { isDark(row, $0) } }
  }

  /// Data and correction codewords of a block, and how many blocks hold a codeword less than the others, by version (table 9).
  private static let shares: [(data: Int, correction: Int, blocks: Int, shorter: Int)] = [
    (16, 10, 1, 0), (28, 16, 1, 0), (44, 26, 1, 0), (32, 18, 2, 0), (43, 24, 2, 0), (27, 16, 4, 0),
    (31, 18, 4, 0), (39, 22, 4, 2), (37, 22, 5, 3),
  ]

  /// The text; nil where the symbol is not one of level M in bytes, or holds an error.
  var text: String? {
    let version = (side - 17) / 4
    // Bits 14 to 0 of the format, from the corner's left side to its top.
    let places =
      [0, 1, 2, 3, 4, 5, 7].map { (8, $0) } + [(8, 8)] + [7, 5, 4, 3, 2, 1, 0].map { ($0, 8) }
    let format = places.reduce(0) { $0 << 1 | (dark[$1.0][$1.1] ? 1 : 0) } ^ 0x5412
    let copy =
      (0..<7).map { (side - 1 - $0, 8) } + (0..<8).map { (8, side - 8 + $0) }
    guard copy.reduce(0, { $0 << 1 | (dark[$1.0][$1.1] ? 1 : 0) }) ^ 0x5412 == format,
      remainder(format, 0x537, 15) == 0, format >> 13 == 0
    else { return nil }
    if version >= 7 {
      let bits = (0..<18).reversed().reduce(0) { $0 << 1 | (dark[$1 / 3][side - 11 + $1 % 3] ? 1 : 0) }
      let other = (0..<18).reversed().reduce(0) { $0 << 1 | (dark[side - 11 + $1 % 3][$1 / 3] ? 1 : 0) }
      guard bits == other, bits >> 12 == version, remainder(bits, 0x1F25, 18) == 0 else { return nil }
    }
    let share = Self.shares[version - 1]
    let words = codewords(version, mask: format >> 10 & 7)
    let count = share.blocks * share.data - share.shorter
    guard words.count == count + share.blocks * share.correction else { return nil }
    var blocks = [[Int]](repeating: [], count: share.blocks)
    for (index, word) in words[..<count].enumerated() {
      // The last codeword of all is one of the longer blocks', which come last.
      let full = share.blocks * (share.data - (share.shorter > 0 ? 1 : 0))
      blocks[index < full ? index % share.blocks : share.shorter + index - full].append(word)
    }
    let data = blocks.flatMap(\.self)
    for (index, word) in words[count...].enumerated() { blocks[index % share.blocks].append(word) }
    guard blocks.allSatisfy({ isFaultless($0, share.correction) }) else { return nil }
    let nibbles = data.flatMap { [$0 >> 4, $0 & 15] }
    let length = nibbles[1] << 4 | nibbles[2]
    guard nibbles[0] == 4 else { return nil }
    return String(
      decoding: (0..<length).map { UInt8(nibbles[3 + 2 * $0] << 4 | nibbles[4 + 2 * $0]) }, as: UTF8.self)
  }

  private func remainder(_ value: Int, _ divisor: Int, _ bits: Int) -> Int {
    let degree = Int.bitWidth - divisor.leadingZeroBitCount - 1
    return stride(from: bits - 1, through: degree, by: -1).reduce(value) {
      $0 >> $1 & 1 == 1 ? $0 ^ divisor << ($1 - degree) : $0
    }
  }

  private func codewords(_ version: Int, mask: Int) -> [Int] {
    let centers: [Int] = [[], [18], [22], [26], [30], [34], [22, 38], [24, 42], [26, 46]][version - 1]
    func isPattern(_ row: Int, _ column: Int) -> Bool {
      if row == 6 || column == 6 { return true }
      if row < 9 && (column < 9 || column >= side - 8) || row >= side - 8 && column < 9 { return true }
      if version >= 7, min(row, column) < 6, max(row, column) >= side - 11 { return true }
      let near = { (place: Int) in ([6] + centers).filter { abs($0 - place) <= 2 } }
      return near(row).contains { y in
        near(column).contains { x in
          // None lies on the corners' patterns.
          !(y == 6 && (x == 6 || x == centers.last) || x == 6 && y == centers.last)
        }
      }
    }
    var bits: [Bool] = []
    var column = side - 1
    var rows = Array((0..<side).reversed())
    while column > 0 {
      if column == 6 { column -= 1 }
      for row in rows {
        for x in [column, column - 1] where !isPattern(row, x) {
          let (product, sum) = (row * x, row + x)
          let values = [
            sum % 2, row % 2, x % 3, sum % 3, (row / 2 + x / 3) % 2, product % 2 + product % 3,
            (product % 2 + product % 3) % 2, (sum % 2 + product % 3) % 2,
          ]
          bits.append(dark[row][x] != (values[mask] == 0))
        }
      }
      rows.reverse()
      column -= 2
    }
    return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  /// Whether a block's polynomial is 0 at the powers of 2 below `count`.
  private func isFaultless(_ block: [Int], _ count: Int) -> Bool {
    var (powers, logarithms) = ([Int](repeating: 1, count: 510), [Int](repeating: 0, count: 256))
    for index in 1..<510 {
      let double = powers[index - 1] << 1
      powers[index] = double > 255 ? double ^ 0x11D : double
    }
    for index in 0..<255 { logarithms[powers[index]] = index }
    return (0..<count).allSatisfy { root in
      block.reduce(0) { sum, word in word ^ (sum == 0 ? 0 : powers[(logarithms[sum] + root) % 255]) } == 0
    }
  }
}
