import Geometry
import Imaging

extension Plane where Element == Float {
  /// The bilinear value at (x, y), where whole numbers are cell centers; the border cells extend outwards.
  ///
  /// A NaN position gives NaN.
  @inline(__always)
  func bilinear(_ x: Double, _ y: Double) -> Float {
    guard !x.isNaN, !y.isNaN else { return .nan }
    let column = CellPair(x, count: width)
    let row = CellPair(y, count: height)
    return bilinear(in: elements.span, column, row)
  }

  /// The bilinear value between two columns and two rows of this plane's elements.
  @inline(__always)
  func bilinear(in cells: Span<Float>, _ column: CellPair, _ row: CellPair) -> Float {
    let top = row.first * width
    let bottom = row.second * width
    let upper = column.mix(cells[top + column.first], cells[top + column.second])
    let lower = column.mix(cells[bottom + column.first], cells[bottom + column.second])
    return row.mix(upper, lower)
  }
}

/// The two neighboring cells around a position on one axis and how far the position lies towards the second.
struct CellPair {
  let first: Int
  let second: Int
  let fraction: Float

  /// The cells around `position`, clamped to an axis of `count` cells; of what is not a number the first.
  @inline(__always)
  init(_ position: Double, count: Int) {
    let clamped = min(max(0, position), Double(count - 1))
    first = Int(clamped)
    second = min(first + 1, count - 1)
    fraction = Float(clamped - Double(first))
  }

  /// The mixture of the two cells' values; exactly one value where the position is a cell center.
  @inline(__always)
  func mix(_ a: Float, _ b: Float) -> Float {
    fraction == 0 ? a : a + (b - a) * fraction
  }
}

extension GridMapping {
  /// The target cells around the place of every source cell.
  var pairs: [CellPair] { (0..<source).map { CellPair(self($0), count: target) } }
}
