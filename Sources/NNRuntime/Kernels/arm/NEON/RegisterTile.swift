// NEON's register tile: at most six rows of A times sixteen columns of B, whose sums, six registers of A and two of B are
// all thirty-two registers.
//
// A compiler finds room for them where a function has one loop, where every register of sums is a variable of its own, and
// where the multiply-adds of a register of B follow each other. So four steps at a time are one function, single steps
// another, and sums go through memory between the two. Rows are composed by type (`Stack`), as those of the other
// instruction sets (Kernels/Source/F32/Tile.swift).

import CKernelShims

/// Some steps of a tile: rows from byte `at` of each on up to byte `end`, columns `stride` bytes from one step to the next.
///
/// Sums begin with `initial`, which is laid out as the output, or with zeros.
private typealias Steps = (
  rows: UnsafePointer<UnsafePointer<Float>>, at: Int, end: Int, columns: UnsafeRawPointer, stride: Int,
  initial: UnsafePointer<Float>?, output: UnsafeMutablePointer<Float>, outputStride: Int
)

/// Some rows of sums.
private protocol RowSums {
  /// Where the rows begin.
  associatedtype Pointers
  /// A register of each row.
  associatedtype Elements
  static var count: Int { get }
  init()
  init(from sums: UnsafePointer<Float>, stride: Int)
  func store(to output: UnsafeMutablePointer<Float>, stride: Int)
  static func pointers(_ rows: UnsafePointer<UnsafePointer<Float>>) -> Pointers
  /// Four numbers of each row.
  static func four(_ pointers: Pointers, _ at: Int) -> Elements
  /// One number of each row.
  static func one(_ pointers: Pointers, _ at: Int) -> Elements
  /// Brings the cache line of every row at a byte near.
  static func prefetch(_ pointers: Pointers, _ at: Int)
  // The products of a number of each row with the first to the fourth register of columns.
  mutating func addFirst(_ elements: Elements, _ lane: Int, _ columns: Quad)
  mutating func addSecond(_ elements: Elements, _ lane: Int, _ columns: Quad)
  mutating func addThird(_ elements: Elements, _ lane: Int, _ columns: Quad)
  mutating func addFourth(_ elements: Elements, _ lane: Int, _ columns: Quad)
}

extension RowSums {
  /// A step: the products of a number of each row with sixteen columns.
  @inline(__always)
  mutating func step(_ elements: Elements, _ lane: Int, _ columns: UnsafeRawPointer) {
    let (first, second) = (loadQuad(columns, 0), loadQuad(columns, 16))
    addFirst(elements, lane, first)
    addSecond(elements, lane, second)
    let (third, fourth) = (loadQuad(columns, 32), loadQuad(columns, 48))
    addThird(elements, lane, third)
    addFourth(elements, lane, fourth)
  }
}

/// One row.
private struct OneRow: RowSums {
  var first = Quad(repeating: 0)
  var second = Quad(repeating: 0)
  var third = Quad(repeating: 0)
  var fourth = Quad(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>, stride: Int) {
    (first, second) = (loadQuad(sums, 0), loadQuad(sums, 16))
    (third, fourth) = (loadQuad(sums, 32), loadQuad(sums, 48))
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    storeQuad(first, output, 0)
    storeQuad(second, output, 16)
    storeQuad(third, output, 32)
    storeQuad(fourth, output, 48)
  }
  @inline(__always) static func pointers(_ rows: UnsafePointer<UnsafePointer<Float>>) -> UnsafeRawPointer {
    UnsafeRawPointer(rows[0])
  }
  @inline(__always) static func four(_ pointer: UnsafeRawPointer, _ at: Int) -> Quad { loadQuad(pointer, at) }
  @inline(__always) static func one(_ pointer: UnsafeRawPointer, _ at: Int) -> Quad {
    Quad(ardf_element((pointer + at).assumingMemoryBound(to: Float.self)), 0, 0, 0)
  }
  @inline(__always) static func prefetch(_ pointer: UnsafeRawPointer, _ at: Int) {
    ardf_prefetch_to_read(pointer + at)
  }
  @inline(__always) mutating func addFirst(_ x: Quad, _ lane: Int, _ columns: Quad) {
    first = first.addingProduct(columns, Quad(repeating: x[lane]))
  }
  @inline(__always) mutating func addSecond(_ x: Quad, _ lane: Int, _ columns: Quad) {
    second = second.addingProduct(columns, Quad(repeating: x[lane]))
  }
  @inline(__always) mutating func addThird(_ x: Quad, _ lane: Int, _ columns: Quad) {
    third = third.addingProduct(columns, Quad(repeating: x[lane]))
  }
  @inline(__always) mutating func addFourth(_ x: Quad, _ lane: Int, _ columns: Quad) {
    fourth = fourth.addingProduct(columns, Quad(repeating: x[lane]))
  }
}

/// Two groups, one above the other.
private struct Stack<Upper: RowSums, Lower: RowSums>: RowSums {
  typealias Pointers = (upper: Upper.Pointers, lower: Lower.Pointers)
  typealias Elements = (upper: Upper.Elements, lower: Lower.Elements)
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>, stride: Int) {
    upper = Upper(from: sums, stride: stride)
    lower = Lower(from: sums + Upper.count &* stride, stride: stride)
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    upper.store(to: output, stride: stride)
    lower.store(to: output + Upper.count &* stride, stride: stride)
  }
  @inline(__always) static func pointers(_ rows: UnsafePointer<UnsafePointer<Float>>) -> Pointers {
    (Upper.pointers(rows), Lower.pointers(rows + Upper.count))
  }
  @inline(__always) static func four(_ pointers: Pointers, _ at: Int) -> Elements {
    (Upper.four(pointers.upper, at), Lower.four(pointers.lower, at))
  }
  @inline(__always) static func one(_ pointers: Pointers, _ at: Int) -> Elements {
    (Upper.one(pointers.upper, at), Lower.one(pointers.lower, at))
  }
  @inline(__always) static func prefetch(_ pointers: Pointers, _ at: Int) {
    Upper.prefetch(pointers.upper, at)
    Lower.prefetch(pointers.lower, at)
  }
  @inline(__always) mutating func addFirst(_ elements: Elements, _ lane: Int, _ columns: Quad) {
    upper.addFirst(elements.upper, lane, columns)
    lower.addFirst(elements.lower, lane, columns)
  }
  @inline(__always) mutating func addSecond(_ elements: Elements, _ lane: Int, _ columns: Quad) {
    upper.addSecond(elements.upper, lane, columns)
    lower.addSecond(elements.lower, lane, columns)
  }
  @inline(__always) mutating func addThird(_ elements: Elements, _ lane: Int, _ columns: Quad) {
    upper.addThird(elements.upper, lane, columns)
    lower.addThird(elements.lower, lane, columns)
  }
  @inline(__always) mutating func addFourth(_ elements: Elements, _ lane: Int, _ columns: Quad) {
    upper.addFourth(elements.upper, lane, columns)
    lower.addFourth(elements.lower, lane, columns)
  }
}

private typealias TwoRows = Stack<OneRow, OneRow>
private typealias FourRows = Stack<TwoRows, TwoRows>

/// Adds steps, four at a time.
@inline(never)
private func addFourSteps<Rows: RowSums>(_: Rows.Type, _ steps: Steps) {
  var sums =
    if let initial = steps.initial { Rows(from: initial, stride: steps.outputStride) } else { Rows() }
  let pointers = Rows.pointers(steps.rows)
  var (at, columns) = (steps.at, steps.columns)
  repeat {
    let elements = Rows.four(pointers, at)
    at &+= 16
    sums.step(elements, 0, columns)
    columns += steps.stride
    sums.step(elements, 1, columns)
    columns += steps.stride
    sums.step(elements, 2, columns)
    columns += steps.stride
    sums.step(elements, 3, columns)
    columns += steps.stride
  } while at < steps.end
  sums.store(to: steps.output, stride: steps.outputStride)
}

/// Adds steps one by one.
@inline(never)
private func addSingleSteps<Rows: RowSums>(_: Rows.Type, _ steps: Steps) {
  var sums =
    if let initial = steps.initial { Rows(from: initial, stride: steps.outputStride) } else { Rows() }
  let pointers = Rows.pointers(steps.rows)
  var (at, columns) = (steps.at, steps.columns)
  repeat {
    sums.step(Rows.one(pointers, at), 0, columns)
    at &+= 4
    columns += steps.stride
  } while at < steps.end
  sums.store(to: steps.output, stride: steps.outputStride)
}

/// Bytes of each row whose next lines are asked for at once.
@inline(__always) private var askedBytes: Int { 256 }

@inline(__always)
private func multiply<Rows: RowSums>(
  _: Rows.Type, _ product: TileProduct, from initial: UnsafePointer<Float>?, storesEverySegment: Bool
) {
  var (rows, columns, output) = (product.rows, UnsafeRawPointer(product.columns), product.output)
  var sums = initial
  let stride = product.columnStride &* 4
  let end = product.depth &* 4
  let whole = end & ~15
  for _ in 0..<product.segments {
    var at = 0
    while at < end {
      // Whole fours, as far as lines are asked for; then what is left.
      let isFour = at < whole
      let next = isFour ? (product.ahead == 0 ? whole : min(at &+ askedBytes, whole)) : end
      if product.ahead != 0, isFour {
        for line in Swift.stride(from: at, to: next, by: 64) {
          Rows.prefetch(Rows.pointers(rows), line &+ product.ahead &* 4)
        }
      }
      let steps: Steps = (rows, at, next, columns, stride, sums, output, product.outputStride)
      if isFour { addFourSteps(Rows.self, steps) } else { addSingleSteps(Rows.self, steps) }
      columns += (next &- at) / 4 &* stride
      sums = UnsafePointer(output)
      at = next
    }
    rows += product.rowCapacity
    if storesEverySegment { output += tileFloats }
  }
}

/// Multiplies a tile of at most six rows.
@inline(__always)
func multiplyRegisterTile(
  _ product: TileProduct, rows: Int, from initial: UnsafePointer<Float>?, storesEverySegment: Bool
) {
  switch rows {
  case 1: multiply(OneRow.self, product, from: initial, storesEverySegment: storesEverySegment)
  case 2: multiply(TwoRows.self, product, from: initial, storesEverySegment: storesEverySegment)
  case 3:
    multiply(
      Stack<TwoRows, OneRow>.self, product, from: initial, storesEverySegment: storesEverySegment)
  case 4: multiply(FourRows.self, product, from: initial, storesEverySegment: storesEverySegment)
  case 5:
    multiply(
      Stack<FourRows, OneRow>.self, product, from: initial, storesEverySegment: storesEverySegment)
  default:
    multiply(
      Stack<FourRows, TwoRows>.self, product, from: initial, storesEverySegment: storesEverySegment)
  }
}
