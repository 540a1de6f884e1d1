// The transforms of a Winograd convolution of a 3x3 kernel with stride 2. Along an axis, four outputs
//   y[i] = w0 x[2i] + w1 x[2i + 1] + w2 x[2i + 2]
// are a convolution of the five even inputs with (w0, w2), F(4,2), plus the four odd inputs times w1: nine products
// instead of twelve. On both axes that is four phases, 81 products instead of 144 for 4x4 outputs:
//   even-even 5x5 frequencies, even-odd 5x4, odd-even 4x5, and odd-odd 4x4 pixels as they are.
// Products of an odd axis have the same weights at all of its four places: 36 matrices of weights, the more rows a
// matrix.

/// The transforms, on vectors of sixteen channels that `read` gives and `write` takes.
enum StridedTransform {
  /// The transform of an even axis.
  private typealias Even = F4x4Of2x2

  /// Output and input pixels of a tile's edge.
  @inline(__always) static var tileEdge: Int { 4 }
  @inline(__always) static var windowEdge: Int { 9 }
  /// Frequencies of an even axis, pixels of an odd one.
  @inline(__always) static var evens: Int { 5 }
  @inline(__always) static var odds: Int { 4 }
  /// Products of a tile, and matrices of weights.
  @inline(__always) static var positions: Int { 81 }
  @inline(__always) static var matrices: Int { 36 }
  /// Vectors that the transforms keep in between.
  @inline(__always) static var lines: Int { windowEdge * evens }

  /// First position of matrix `index`, and how many it has: phase by phase.
  @inline(__always)
  static func positions(of index: Int) -> (first: Int, count: Int) {
    if index < 25 { return (index, 1) }
    return index < 35 ? (25 + (index - 25) * odds, odds) : (65, 16)
  }

  @inline(__always) private static func evenEven(_ row: Int, _ column: Int) -> Int { row &* evens &+ column }
  @inline(__always) private static func evenOdd(_ row: Int, _ column: Int) -> Int {
    25 &+ row &* odds &+ column
  }
  @inline(__always) private static func oddEven(_ row: Int, _ column: Int) -> Int {
    45 &+ column &* odds &+ row
  }
  @inline(__always) private static func oddOdd(_ row: Int, _ column: Int) -> Int {
    65 &+ row &* odds &+ column
  }

  /// The nine taps to the 36 matrices.
  @inline(__always)
  static func filter(
    _ lines: UnsafeMutablePointer<Float>, _ read: (_ tap: Int) -> Vector,
    _ write: (_ matrix: Int, Vector) -> Void
  ) {
    // Even rows: lines of three columns, (row frequency, column).
    for column in 0..<3 {
      Even.filter({ read(6 * $0 + column) }, { store($1, lines + (3 * $0 + column) * 16) })
    }
    for row in 0..<evens {
      let line = lines + row * 3 * 16
      Even.filter({ load(line + 32 * $0) }, { write(row * evens + $0, $1) })
      write(25 + row, load(line + 16))
    }
    Even.filter({ read(3 + 2 * $0) }, { write(30 + $0, $1) })
    write(35, read(4))
  }

  /// The 9x9 pixels of a window to the 81 positions; `prefetch` is called once a column.
  @inline(__always)
  static func input(
    _ lines: UnsafeMutablePointer<Float>, _ prefetch: (_ column: Int) -> Void,
    _ read: (_ row: Int, _ column: Int) -> Vector, _ write: (_ position: Int, Vector) -> Void
  ) {
    for column in 0..<windowEdge {
      prefetch(column)
      Even.input({ read(2 &* $0, column) }, { store($1, lines + ($0 &* windowEdge &+ column) &* 16) })
    }
    for row in 0..<evens {
      let line = lines + row &* windowEdge &* 16
      Even.input({ load(line + $0 &* 32) }, { write(evenEven(row, $0), $1) })
      for column in 0..<odds { write(evenOdd(row, column), load(line + (2 &* column &+ 1) &* 16)) }
    }
    for row in 0..<odds {
      Even.input({ read(2 &* row &+ 1, 2 &* $0) }, { write(oddEven(row, $0), $1) })
      for column in 0..<odds { write(oddOdd(row, column), read(2 &* row &+ 1, 2 &* column &+ 1)) }
    }
  }

  /// The products of the 81 positions to the outputs of the first `columns` columns.
  @inline(__always)
  static func output(
    _ lines: UnsafeMutablePointer<Float>, columns: Int, _ read: (_ position: Int) -> Vector,
    _ write: (_ row: Int, _ column: Int, Vector) -> Void
  ) {
    let odd = lines
    let even = odd + odds * odds * 16
    for row in 0..<evens {
      outputs({ read(evenEven(row, $0)) }, { read(evenOdd(row, $0)) }) {
        store($1, even + (row &* odds &+ $0) &* 16)
      }
    }
    for row in 0..<odds {
      outputs({ read(oddEven(row, $0)) }, { read(oddOdd(row, $0)) }) {
        store($1, odd + (row &* odds &+ $0) &* 16)
      }
    }
    for column in 0..<columns {
      outputs(
        { load(even + ($0 &* odds &+ column) &* 16) }, { load(odd + ($0 &* odds &+ column) &* 16) },
        { write($0, column, $1) })
    }
  }

  /// A^T m of five frequencies, plus four products of the odd phase: four outputs.
  @inline(__always)
  private static func outputs(
    _ even: (Int) -> Vector, _ odd: (Int) -> Vector, _ write: (Int, Vector) -> Void
  ) {
    Even.output(even, { write($0, odd($0) + $1) })
  }
}
