// Products with vectors: some rows of A at a time, their sums in registers from the first product to the last.
//
// Rows are composed by type (`SumStack`), so that every row count is its own straight-line inner loop.

import CKernelShims

/// Some rows of sums.
///
/// Every row loads the columns for itself; the compiler keeps one load for all.
protocol SumGroup {
  static var count: Int { get }
  /// Thirty-two columns, not sixteen.
  static var isWide: Bool { get }
  init()
  /// Sums that start from those in memory.
  init(from sums: UnsafePointer<Float>)
  /// Adds the products of a word of every row, `stride` bytes apart, with columns that begin `second` bytes apart.
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int)
  /// Writes the sums, as floats, `panelWidth` apart from row to row.
  func write(to output: UnsafeMutablePointer<Float>)
  /// Brings the cache line of every row near.
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int)
}

/// Arithmetic on words that hold several integers each.
protocol WordArithmetic {
  /// The sum, and the products of all numbers of every word; `a` is the same in all lanes, `b` is packed.
  static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector
  /// The sums as floats.
  static func floats(_ sum: Vector) -> Vector
}

/// One row of sixteen columns.
struct NarrowSums<Words: WordArithmetic>: SumGroup {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { false }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>) { sum = load(sums) }

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let word = Vector(repeating: row.loadUnaligned(as: Float.self))
    sum = Words.dot(sum, word, columns.loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func write(to output: UnsafeMutablePointer<Float>) { store(Words.floats(sum), output) }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// One row of thirty-two columns.
struct WideSums<Words: WordArithmetic>: SumGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { true }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>) {
    (low, high) = (load(sums), load(sums + panelWidth / 2))
  }

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let word = Vector(repeating: row.loadUnaligned(as: Float.self))
    low = Words.dot(low, word, columns.loadUnaligned(as: Vector.self))
    high = Words.dot(high, word, (columns + second).loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func write(to output: UnsafeMutablePointer<Float>) {
    store(Words.floats(low), output)
    store(Words.floats(high), output + panelWidth / 2)
  }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// Two groups, one above the other.
struct SumStack<Upper: SumGroup, Lower: SumGroup>: SumGroup {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) static var isWide: Bool { Upper.isWide }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>) {
    upper = Upper(from: sums)
    lower = Lower(from: sums + Upper.count &* panelWidth)
  }

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    upper.add(row, stride, columns, second)
    lower.add(row + Upper.count &* stride, stride, columns, second)
  }

  @inline(__always)
  func write(to output: UnsafeMutablePointer<Float>) {
    upper.write(to: output)
    lower.write(to: output + Upper.count &* panelWidth)
  }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) {
    Upper.prefetch(row, stride)
    Lower.prefetch(row + Upper.count &* stride, stride)
  }
}

typealias Sums2<Row: SumGroup> = SumStack<Row, Row>
typealias Sums3<Row: SumGroup> = SumStack<Sums2<Row>, Row>
typealias Sums4<Row: SumGroup> = SumStack<Sums2<Row>, Sums2<Row>>
typealias Sums5<Row: SumGroup> = SumStack<Sums4<Row>, Row>
typealias Sums6<Row: SumGroup> = SumStack<Sums4<Row>, Sums2<Row>>
typealias Sums7<Row: SumGroup> = SumStack<Sums4<Row>, Sums3<Row>>
typealias Sums8<Row: SumGroup> = SumStack<Sums4<Row>, Sums4<Row>>
typealias Sums9<Row: SumGroup> = SumStack<Sums8<Row>, Row>
typealias Sums10<Row: SumGroup> = SumStack<Sums8<Row>, Sums2<Row>>
typealias Sums11<Row: SumGroup> = SumStack<Sums8<Row>, Sums3<Row>>
typealias Sums12<Row: SumGroup> = SumStack<Sums8<Row>, Sums4<Row>>
typealias Sums13<Row: SumGroup> = SumStack<Sums8<Row>, Sums5<Row>>
typealias Sums14<Row: SumGroup> = SumStack<Sums8<Row>, Sums6<Row>>

/// The `count` rows from `first` on.
@inline(__always)
func multiplyRows<Row: SumGroup>(_: Row.Type, _ product: BlockProduct, _ first: Int, _ count: Int) {
  switch count {
  case 1: multiplyGroup(Row.self, product, first)
  case 2: multiplyGroup(Sums2<Row>.self, product, first)
  case 3: multiplyGroup(Sums3<Row>.self, product, first)
  case 4: multiplyGroup(Sums4<Row>.self, product, first)
  case 5: multiplyGroup(Sums5<Row>.self, product, first)
  case 6: multiplyGroup(Sums6<Row>.self, product, first)
  case 7: multiplyGroup(Sums7<Row>.self, product, first)
  case 8: multiplyGroup(Sums8<Row>.self, product, first)
  case 9: multiplyGroup(Sums9<Row>.self, product, first)
  case 10: multiplyGroup(Sums10<Row>.self, product, first)
  case 11: multiplyGroup(Sums11<Row>.self, product, first)
  case 12: multiplyGroup(Sums12<Row>.self, product, first)
  case 13: multiplyGroup(Sums13<Row>.self, product, first)
  default: multiplyGroup(Sums14<Row>.self, product, first)
  }
}

/// Bytes ahead that columns are prefetched: the hardware prefetcher stops where a page ends.
@inline(__always) var page: Int { 4096 }

/// The rows of a group, from `first` on.
@inline(never)
func multiplyGroup<Rows: SumGroup>(_: Rows.Type, _ product: BlockProduct, _ first: Int) {
  addProducts(to: Rows(), product, first).write(to: product.output + first &* panelWidth)
}

/// The product of the rows of a group, from `first` on, added to `start`.
///
/// The loops run at least once: if they might not, the compiler would copy the sums to memory after each
/// loop.
@inline(__always)
func addProducts<Rows: SumGroup>(to start: Rows, _ product: BlockProduct, _ first: Int) -> Rows {
  var sums = start
  let stride = product.rowStride
  let rows = product.rows + first &* stride
  let tileBytes = product.step &* 32
  var columns = product.columns
  var segment = 0
  repeat {
    var row = rows + product.segments[segment]
    var step = 0
    repeat {
      if product.readsAhead { Rows.prefetch(row + Rows.count &* stride, stride) }
      let end = columns + tileBytes
      repeat {
        ardf_prefetch_to_read(columns + page)
        if Rows.isWide { ardf_prefetch_to_read(columns + (page &+ tileBytes)) }
        sums.add(row, stride, columns, tileBytes)
        row += 4
        columns += 64
      } while columns < end
      if Rows.isWide { columns += tileBytes }
      step &+= 1
    } while step < product.steps
    segment &+= 1
  } while segment < product.segmentCount
  return sums
}
