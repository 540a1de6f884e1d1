// The register tile: R rows of A times one panel of B, accumulated in registers.
//
// Rows are composed by type (`Stack`), so every row count is its own straight-line inner loop: no array of
// accumulators that could end up in memory. `objdump -d` shows one broadcast and one or two multiply-adds a
// row and step. The types are private and the argument is a tuple: the value witnesses of a struct would be
// functions under names that other modules share.

import CKernelShims

/// The product of one tile: C (rows x columns) = sum over segments s and k of A[s, row, k] * B[s * depth + k].
///
/// The inner dimension is `segments` pieces of `depth`, each contiguous in A; `rows` (segments, rowCapacity) says
/// where each row of each segment starts. `columns` is B, `columnStride` floats from one k to the next; `output`
/// is C, `outputStride` floats from one row to the next. Where `ahead` is not 0, what lies that many floats after each
/// piece of A is prefetched meanwhile; or else, where `streamsColumns`, what lies after the columns at hand.
typealias TileProduct = (
  segments: Int, depth: Int, rows: UnsafePointer<UnsafePointer<Float>>, rowCapacity: Int,
  columns: UnsafePointer<Float>, columnStride: Int, output: UnsafeMutablePointer<Float>, outputStride: Int,
  ahead: Int, streamsColumns: Bool
)

/// Some rows of accumulators.
///
/// Every row loads the columns for itself; the compiler keeps one load for all.
private protocol RowGroup {
  static var count: Int { get }
  init()
  mutating func step(_ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: UnsafePointer<Float>)
  init(from sums: UnsafePointer<Float>, stride: Int)
  func store(to output: UnsafeMutablePointer<Float>, stride: Int)
  /// Brings the cache line of every row at k near.
  static func prefetch(_ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int)
}

/// One row, sixteen columns.
private struct NarrowRow: RowGroup {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) static func prefetch(_ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int) {
    ardf_prefetch_to_read(rows[0] + k)
  }
  @inline(__always) mutating func step(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: UnsafePointer<Float>
  ) {
    sum = multiplyAdd(InstructionSet.repeated(rows[0] + k), load(columns), sum)
  }
  @inline(__always) init(from sums: UnsafePointer<Float>, stride: Int) { sum = load(sums) }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    UnsafeMutableRawPointer(output).storeBytes(of: sum, as: Vector.self)
  }
}

/// One row, thirty-two columns.
private struct WideRow: RowGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) static func prefetch(_ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int) {
    ardf_prefetch_to_read(rows[0] + k)
  }
  @inline(__always) mutating func step(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: UnsafePointer<Float>
  ) {
    let x = InstructionSet.repeated(rows[0] + k)
    low = multiplyAdd(x, load(columns), low)
    high = multiplyAdd(x, load(columns + 16), high)
  }
  @inline(__always) init(from sums: UnsafePointer<Float>, stride: Int) {
    low = load(sums)
    high = load(sums + 16)
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    UnsafeMutableRawPointer(output).storeBytes(of: low, as: Vector.self)
    UnsafeMutableRawPointer(output + 16).storeBytes(of: high, as: Vector.self)
  }
}

/// Two groups, one above the other.
private struct Stack<Upper: RowGroup, Lower: RowGroup>: RowGroup {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count + Lower.count }
  @inline(__always) init() {}
  @inline(__always) static func prefetch(_ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int) {
    Upper.prefetch(rows, k)
    Lower.prefetch(rows + Upper.count, k)
  }
  @inline(__always) mutating func step(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: UnsafePointer<Float>
  ) {
    upper.step(rows, k, columns)
    lower.step(rows + Upper.count, k, columns)
  }
  @inline(__always) init(from sums: UnsafePointer<Float>, stride: Int) {
    upper = Upper(from: sums, stride: stride)
    lower = Lower(from: sums + Upper.count &* stride, stride: stride)
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    upper.store(to: output, stride: stride)
    lower.store(to: output + Upper.count &* stride, stride: stride)
  }
}

private typealias Rows2<Row: RowGroup> = Stack<Row, Row>
private typealias Rows3<Row: RowGroup> = Stack<Rows2<Row>, Row>
private typealias Rows4<Row: RowGroup> = Stack<Rows2<Row>, Rows2<Row>>
private typealias Rows5<Row: RowGroup> = Stack<Rows4<Row>, Row>
private typealias Rows6<Row: RowGroup> = Stack<Rows4<Row>, Rows2<Row>>
private typealias Rows7<Row: RowGroup> = Stack<Rows4<Row>, Rows3<Row>>
private typealias Rows8<Row: RowGroup> = Stack<Rows4<Row>, Rows4<Row>>
private typealias Rows9<Row: RowGroup> = Stack<Rows8<Row>, Row>
private typealias Rows10<Row: RowGroup> = Stack<Rows8<Row>, Rows2<Row>>
private typealias Rows11<Row: RowGroup> = Stack<Rows8<Row>, Rows3<Row>>
private typealias Rows12<Row: RowGroup> = Stack<Rows8<Row>, Rows4<Row>>
private typealias Rows13<Row: RowGroup> = Stack<Rows8<Row>, Rows5<Row>>
private typealias Rows14<Row: RowGroup> = Stack<Rows8<Row>, Rows6<Row>>

/// How far ahead columns from beyond the second-level cache are prefetched: a page, where the hardware prefetchers of x86
/// stop.
@inline(__always) private var streamedFloats: Int { 1024 }

/// The initial values of a tile's sums, and when the sums are stored.
///
/// A type, not an optional: loops are compiled for each, and those of a single sum stay as they are.
private protocol Course {
  static var storesEverySegment: Bool { get }
  func beginning<Rows: RowGroup>(_: Rows.Type, stride: Int) -> Rows
}

/// One sum over all segments.
private struct WholeSum: Course {
  @inline(__always) static var storesEverySegment: Bool { false }
  @inline(__always) func beginning<Rows: RowGroup>(_: Rows.Type, stride: Int) -> Rows { Rows() }
}

/// A sum that is added to another one, laid out as the output; the partial sum is stored after every segment.
private struct RunningSum: Course {
  let initial: UnsafePointer<Float>?
  @inline(__always) static var storesEverySegment: Bool { true }
  @inline(__always) func beginning<Rows: RowGroup>(_: Rows.Type, stride: Int) -> Rows {
    if let initial { Rows(from: initial, stride: stride) } else { Rows() }
  }
}

/// The inner loops of one tile.
@inline(__always)
private func multiply<Rows: RowGroup, Path: Course>(_: Rows.Type, _ product: TileProduct, _ course: Path) {
  var sums = course.beginning(Rows.self, stride: product.outputStride)
  var rows = product.rows
  var columns = product.columns
  var output = product.output
  for _ in 0..<product.segments {
    if product.ahead == 0, InstructionSet.asksForColumns, product.streamsColumns {
      for k in 0..<product.depth {
        ardf_prefetch_to_read(columns + streamedFloats)
        if InstructionSet.panelWidth > 16 { ardf_prefetch_to_read(columns + (streamedFloats + 16)) }
        sums.step(rows, k, columns)
        columns += product.columnStride
      }
    } else if product.ahead == 0 {
      for k in 0..<product.depth {
        sums.step(rows, k, columns)
        columns += product.columnStride
      }
    } else {
      var k = 0
      while k < product.depth {
        Rows.prefetch(rows, k &+ product.ahead)
        // As far as the lines reach. A constant number of steps would be unrolled, and sums kept in memory.
        let end = min(k &+ 16, product.depth)
        while k < end {
          sums.step(rows, k, columns)
          columns += product.columnStride
          k &+= 1
        }
      }
    }
    rows += product.rowCapacity
    if Path.storesEverySegment {
      sums.store(to: output, stride: product.outputStride)
      output += tileFloats
    }
  }
  if !Path.storesEverySegment { sums.store(to: output, stride: product.outputStride) }
}

/// Multiplies `rows` rows, at most `InstructionSet.tileRows`, with one panel: `panelWidth` or 16 columns.
@inline(never)
func multiplyTile(_ product: TileProduct, rows: Int, columns: Int) {
  if InstructionSet.multiplied(product, rows: rows, from: nil, storesEverySegment: false) { return }
  if InstructionSet.panelWidth > 16, columns > 16 {
    multiplyRows(WideRow.self, product, WholeSum(), rows)
  } else {
    multiplyRows(NarrowRow.self, product, WholeSum(), rows)
  }
}

/// Floats of the largest tile, rows `panelWidth` apart.
@inline(__always) var tileFloats: Int { InstructionSet.tileRows * InstructionSet.panelWidth }

/// As `multiplyTile`, but adds to the sums `initial`, where there are any, laid out as the output; and the sums up to each
/// segment are stored, `tileFloats` apart.
@inline(never)
func multiplyRunningTile(_ product: TileProduct, from initial: UnsafePointer<Float>?, rows: Int, columns: Int)
{
  if InstructionSet.multiplied(product, rows: rows, from: initial, storesEverySegment: true) { return }
  if InstructionSet.panelWidth > 16, columns > 16 {
    multiplyRows(WideRow.self, product, RunningSum(initial: initial), rows)
  } else {
    multiplyRows(NarrowRow.self, product, RunningSum(initial: initial), rows)
  }
}

/// The row counts beyond what the instruction set holds in registers are never compiled: `tileRows` is a
/// constant.
@inline(__always)
private func multiplyRows<Row: RowGroup, Path: Course>(
  _: Row.Type, _ product: TileProduct, _ course: Path, _ rows: Int
) {
  if InstructionSet.tileRows >= 14 {
    switch rows {
    case 7: return multiply(Rows7<Row>.self, product, course)
    case 8: return multiply(Rows8<Row>.self, product, course)
    case 9: return multiply(Rows9<Row>.self, product, course)
    case 10: return multiply(Rows10<Row>.self, product, course)
    case 11: return multiply(Rows11<Row>.self, product, course)
    case 12: return multiply(Rows12<Row>.self, product, course)
    case 13: return multiply(Rows13<Row>.self, product, course)
    case 14: return multiply(Rows14<Row>.self, product, course)
    default: break
    }
  }
  if InstructionSet.tileRows >= 6 {
    switch rows {
    case 3: return multiply(Rows3<Row>.self, product, course)
    case 4: return multiply(Rows4<Row>.self, product, course)
    case 5: return multiply(Rows5<Row>.self, product, course)
    case 6: return multiply(Rows6<Row>.self, product, course)
    default: break
    }
  }
  if rows == 2 { multiply(Rows2<Row>.self, product, course) } else { multiply(Row.self, product, course) }
}
