// Winograd transforms of both strides as what a convolution in 16-bit integers sees: windows of pixels become positions,
// each multiplied with one of some matrices of weights, and the products become output pixels.

/// All functions take vectors of sixteen channels from `read` and hand theirs to `write`, and keep others in `lines`;
/// `prefetch` is called once a column of a window.
protocol IntegerTransform: SendableMetatype {
  static var stride: Int { get }
  /// Output and input pixels of a tile's edge, and taps of the kernel's.
  static var tileEdge: Int { get }
  static var windowEdge: Int { get }
  static var kernelEdge: Int { get }
  static var positions: Int { get }
  static var matrices: Int { get }
  /// Vectors of room that `lines` has.
  static var lines: Int { get }
  /// The positions that are multiplied with a matrix.
  static func positions(of matrix: Int) -> (first: Int, count: Int)

  static func filter(
    _ lines: UnsafeMutablePointer<Float>, _ read: (_ tap: Int) -> Vector,
    _ write: (_ matrix: Int, Vector) -> Void)
  static func input(
    _ lines: UnsafeMutablePointer<Float>, _ prefetch: (_ column: Int) -> Void,
    _ read: (_ row: Int, _ column: Int) -> Vector, _ write: (_ position: Int, Vector) -> Void)
  /// The outputs of the first `columns` columns, or more.
  static func output(
    _ lines: UnsafeMutablePointer<Float>, columns: Int, _ read: (_ position: Int) -> Vector,
    _ write: (_ row: Int, _ column: Int, Vector) -> Void)
}

extension StridedTransform: IntegerTransform {
  @inline(__always) static var stride: Int { 2 }
  @inline(__always) static var kernelEdge: Int { 3 }
}

/// A transform of one axis applied to both: every position has a matrix of its own.
enum BothAxes<Axis: WinogradTransform>: IntegerTransform {
  @inline(__always) static var stride: Int { 1 }
  @inline(__always) static var tileEdge: Int { Axis.tileEdge }
  @inline(__always) static var windowEdge: Int { Axis.windowEdge }
  @inline(__always) static var kernelEdge: Int { Axis.kernelEdge }
  @inline(__always) static var positions: Int { Axis.frequencies }
  @inline(__always) static var matrices: Int { Axis.frequencies }
  @inline(__always) static var lines: Int { Axis.frequencies }
  @inline(__always) static func positions(of matrix: Int) -> (first: Int, count: Int) { (matrix, 1) }

  @inline(__always)
  static func filter(
    _ lines: UnsafeMutablePointer<Float>, _ read: (_ tap: Int) -> Vector,
    _ write: (_ matrix: Int, Vector) -> Void
  ) {
    for column in 0..<kernelEdge {
      Axis.filter({ read(column + kernelEdge * $0) }, { store($1, lines + (column + kernelEdge * $0) * 16) })
    }
    for row in 0..<windowEdge {
      Axis.filter({ load(lines + (kernelEdge * row + $0) * 16) }, { write(row * windowEdge + $0, $1) })
    }
  }

  @inline(__always)
  static func input(
    _ lines: UnsafeMutablePointer<Float>, _ prefetch: (_ column: Int) -> Void,
    _ read: (_ row: Int, _ column: Int) -> Vector, _ write: (_ position: Int, Vector) -> Void
  ) {
    for column in 0..<windowEdge {
      prefetch(column)
      Axis.input({ read($0, column) }, { store($1, lines + ($0 &* windowEdge &+ column) &* 16) })
    }
    for row in 0..<windowEdge {
      let line = lines + row &* windowEdge &* 16
      Axis.input({ load(line + $0 &* 16) }, { write(row &* windowEdge &+ $0, $1) })
    }
  }

  @inline(__always)
  static func output(
    _ lines: UnsafeMutablePointer<Float>, columns: Int, _ read: (_ position: Int) -> Vector,
    _ write: (_ row: Int, _ column: Int, Vector) -> Void
  ) {
    for column in 0..<windowEdge {
      Axis.output(
        { read($0 &* windowEdge &+ column) }, { store($1, lines + ($0 &* windowEdge &+ column) &* 16) })
    }
    for row in 0..<tileEdge {
      let line = lines + row &* windowEdge &* 16
      Axis.output({ load(line + $0 &* 16) }, { write(row, $0, $1) })
    }
  }
}
