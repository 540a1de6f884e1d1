/// The modules of a QR code: its patterns, and codewords under a mask.
struct QRGrid: Sendable, Equatable {
  let side: Int
  private var dark: [Bool]
  /// Modules of patterns, of the mask's number and of the version.
  private var isReserved: [Bool]

  /// The modules that each mask inverts.
  static let masks: [@Sendable (_ row: Int, _ column: Int) -> Bool] = [
    { ($0 + $1) % 2 == 0 }, { row, _ in row % 2 == 0 }, { _, column in column % 3 == 0 },
    { ($0 + $1) % 3 == 0 }, { ($0 / 2 + $1 / 3) % 2 == 0 }, { $0 * $1 % 2 + $0 * $1 % 3 == 0 },
    { ($0 * $1 % 2 + $0 * $1 % 3) % 2 == 0 }, { (($0 + $1) % 2 + $0 * $1 % 3) % 2 == 0 },
  ]

  /// A version's symbol of codewords under a mask.
  init(_ version: QRVersion, _ codewords: [UInt8], mask: Int) {
    side = version.side
    dark = [Bool](repeating: false, count: side * side)
    isReserved = dark
    drawPatterns(version)
    drawFormat(mask)
    drawVersion(version.number)
    draw(codewords, under: Self.masks[mask])
  }

  subscript(row: Int, column: Int) -> Bool { dark[row * side + column] }

  private mutating func reserve(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard (0..<side).contains(row), (0..<side).contains(column) else { return }
    dark[row * side + column] = isDark
    isReserved[row * side + column] = true
  }

  // MARK: - Patterns

  private mutating func drawPatterns(_ version: QRVersion) {
    for index in 0..<side {
      reserve(6, index, index % 2 == 0)
      reserve(index, 6, index % 2 == 0)
    }
    // A ring of light modules parts the patterns at the corners from the rest.
    for (row, column) in [(3, 3), (3, side - 4), (side - 4, 3)] {
      drawSquares(row, column, reach: 4) { $0 != 2 && $0 != 4 }
    }
    let last = side - 7
    for row in version.alignment {
      for column in version.alignment
      where !(row == 6 && (column == 6 || column == last) || row == last && column == 6) {
        drawSquares(row, column, reach: 2) { $0 != 1 }
      }
    }
  }

  /// Squares around a module, each dark or light by its distance from it.
  private mutating func drawSquares(_ row: Int, _ column: Int, reach: Int, isDark: (Int) -> Bool) {
    for down in -reach...reach {
      for across in -reach...reach {
        reserve(row + down, column + across, isDark(max(abs(down), abs(across))))
      }
    }
  }

  /// Draws the level of error correction, which is 0 for M, and the mask, twice.
  private mutating func drawFormat(_ mask: Int) {
    let bits = Self.coded(mask, bits: 10, by: 0b101_0011_0111) ^ 0b101_0100_0001_0010
    // Around the corner pattern at the top left, without the line of the timing patterns.
    let along = [0, 1, 2, 3, 4, 5, 7, 8]
    for index in 0..<15 {
      let isDark = bits >> index & 1 == 1
      if index < 8 {
        reserve(along[index], 8, isDark)
        reserve(8, side - 1 - index, isDark)
      } else {
        reserve(8, along[14 - index], isDark)
        reserve(side - 15 + index, 8, isDark)
      }
    }
    reserve(side - 8, 8, true)
  }

  /// Draws the version, twice, from version 7 on.
  private mutating func drawVersion(_ number: Int) {
    guard number >= 7 else { return }
    let bits = Self.coded(number, bits: 12, by: 0b1_1111_0010_0101)
    for index in 0..<18 {
      let (long, short) = (index / 3, side - 11 + index % 3)
      reserve(long, short, bits >> index & 1 == 1)
      reserve(short, long, bits >> index & 1 == 1)
    }
  }

  /// A number followed by its BCH code: the remainder of its polynomial divided by another.
  private static func coded(_ number: Int, bits: Int, by divisor: Int) -> Int {
    var rest = number << bits
    while rest >> bits > 0 {
      rest ^= divisor << (Int.bitWidth - rest.leadingZeroBitCount - bits - 1)
    }
    return number << bits | rest
  }

  // MARK: - Codewords

  /// The order of the data's modules: columns of two from the bottom right, alternately upwards and downwards.
  private mutating func draw(_ codewords: [UInt8], under mask: (Int, Int) -> Bool) {
    var next = 0
    var isUpwards = true
    for right in stride(from: side - 1, to: 0, by: -2) {
      // The vertical timing pattern has a column of its own.
      let right = right <= 6 ? right - 1 : right
      for step in 0..<side {
        let row = isUpwards ? side - 1 - step : step
        for column in [right, right - 1] where !isReserved[row * side + column] {
          let bit = next / 8 < codewords.count && codewords[next / 8] >> (7 - next % 8) & 1 == 1
          next += 1
          dark[row * side + column] = bit != mask(row, column)
        }
      }
      isUpwards.toggle()
    }
  }

  // MARK: - Penalty

  /// The penalty of the symbol by the standard's four rules; lower is easier to read.
  var penalty: Int {
    let rows = (0..<side).map { row in (0..<side).map { self[row, $0] } }
    let columns = (0..<side).map { column in (0..<side).map { self[$0, column] } }
    let lines = (rows + columns).reduce(0) { $0 + Self.penalty(ofLine: $1) }
    var squares = 0
    for row in 1..<side {
      for column in 1..<side {
        let corner = self[row, column]
        if [self[row - 1, column], self[row, column - 1], self[row - 1, column - 1]]
          .allSatisfy({ $0 == corner })
        {
          squares += 3
        }
      }
    }
    // Ten for every five percent that the share of dark modules is off a half.
    let count = dark.count(where: { $0 })
    return lines + squares + 10 * (abs(20 * count - 10 * dark.count) / dark.count)
  }

  /// The penalty of long runs, and of patterns like a corner's beside four light modules.
  private static func penalty(ofLine line: [Bool]) -> Int {
    var (sum, run) = (0, 0)
    for (index, module) in line.enumerated() {
      run = index > 0 && module == line[index - 1] ? run + 1 : 1
      if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
    }
    let finder = [true, false, true, true, true, false, true]
    let light = [Bool](repeating: false, count: 4)
    for start in 0...line.count - 11 {
      let part = line[start..<start + 11]
      if part.elementsEqual(finder + light) || part.elementsEqual(light + finder) { sum += 40 }
    }
    return sum
  }
}
