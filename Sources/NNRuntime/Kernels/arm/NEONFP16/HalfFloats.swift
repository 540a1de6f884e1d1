// Products of half precision: `fmla` of eight halves adds two times as many products a register as of floats, but its sums are
// halves too. So only some steps are summed up in halves, and those sums in floats.
//
// A tile has at most eight rows and sixteen columns: sixteen registers of sums, eight of A and two of B.

import CKernelShims
import NNKernelInterface

typealias ScaledWords = HalfFloats

/// Numbers of half precision, which share a scale a row and a column, so that none is too large and few are too small for it.
enum HalfFloats: ScaledNumbers {
  @inline(__always) static var element: ProductElement { .float16 }
  static var tolerance: KernelTolerance { .float16 }
  /// The product of both norms, which no sum exceeds, is far below the largest half, 65,504, and what is a thousandth of a row
  /// of a thousand numbers far above the smallest.
  @inline(__always) static var leftNorm: Float { 64 }
  @inline(__always) static var rightNorm: Float { 64 }
  @inline(__always) static var largest: Float { 64 }
  @inline(__always) static func store(_ numbers: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_half_store(target, numbers)
  }
  @inline(__always)
  static func storePairs(_ even: Vector, _ odd: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_half_store(target, even)
    ardf_half_store(target + 32, odd)
  }

  @inline(__always) static var unit: Int { 2 }
  @inline(__always) static var granule: Int { 16 }
  @inline(__always) static var tileRows: Int { 8 }

  @inline(__always)
  static func multiply(
    _ left: UnsafeRawPointer, leftStride: Int, rows: Int, words: Int, _ right: UnsafeRawPointer,
    columns: Int, _ output: UnsafeMutablePointer<Float>
  ) {
    let groups = (rows &+ 7) / 8
    for group in 0..<groups {
      let first = rows &* group / groups
      multiplyHalves(
        rows &* (group &+ 1) / groups &- first,
        (
          rows: left + first &* leftStride, stride: leftStride, end: words &* 4, columns: right,
          output: output + first &* panelWidth
        ))
    }
  }
}

/// A tile: rows `stride` bytes apart, of `end` bytes each.
private typealias HalfTile = (
  rows: UnsafeRawPointer, stride: Int, end: Int, columns: UnsafeRawPointer,
  output: UnsafeMutablePointer<Float>
)

/// Bytes of a row whose products are summed up in halves: 32 numbers.
@inline(__always) private var runBytes: Int { 64 }

/// Some rows of sums.
private protocol HalfSums {
  /// Where the rows begin.
  associatedtype Pointers
  /// Eight numbers of each.
  associatedtype Elements
  static var count: Int { get }
  init()
  /// Adds the sums to those of the output, rows `panelWidth` apart; or begins these.
  func add(to output: UnsafeMutablePointer<Float>, isFirst: Bool)
  static func pointers(_ rows: UnsafeRawPointer, _ stride: Int) -> Pointers
  static func elements(_ pointers: Pointers, _ at: Int) -> Elements
  // The products of a number of each row with the first and the second register of columns.
  mutating func addFirst(_ elements: Elements, _ lane: Int, _ columns: Quad)
  mutating func addSecond(_ elements: Elements, _ lane: Int, _ columns: Quad)
}

extension HalfSums {
  @inline(__always)
  mutating func step(_ elements: Elements, _ lane: Int, _ columns: UnsafeRawPointer) {
    let (first, second) = (loadQuad(columns, 0), loadQuad(columns, 16))
    addFirst(elements, lane, first)
    addSecond(elements, lane, second)
  }
}

/// One row.
private struct OneRow: HalfSums {
  var first = Quad(repeating: 0)
  var second = Quad(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) func add(to output: UnsafeMutablePointer<Float>, isFirst: Bool) {
    add(ardf_half_lower(first), output, 0, isFirst)
    add(ardf_half_upper(first), output, 16, isFirst)
    add(ardf_half_lower(second), output, 32, isFirst)
    add(ardf_half_upper(second), output, 48, isFirst)
  }
  @inline(__always) private func add(
    _ sums: Quad, _ output: UnsafeMutablePointer<Float>, _ offset: Int, _ isFirst: Bool
  ) {
    storeQuad(isFirst ? sums : sums + loadQuad(output, offset), output, offset)
  }
  @inline(__always) static func pointers(_ rows: UnsafeRawPointer, _ stride: Int) -> UnsafeRawPointer {
    rows
  }
  @inline(__always) static func elements(_ pointer: UnsafeRawPointer, _ at: Int) -> Quad {
    loadQuad(pointer, at)
  }
  @inline(__always) mutating func addFirst(_ row: Quad, _ lane: Int, _ columns: Quad) {
    first = ardf_half_multiply(first, columns, row, lane)
  }
  @inline(__always) mutating func addSecond(_ row: Quad, _ lane: Int, _ columns: Quad) {
    second = ardf_half_multiply(second, columns, row, lane)
  }
}

/// Two groups, one above the other.
private struct Stack<Upper: HalfSums, Lower: HalfSums>: HalfSums {
  typealias Pointers = (upper: Upper.Pointers, lower: Lower.Pointers)
  typealias Elements = (upper: Upper.Elements, lower: Lower.Elements)
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) init() {}
  @inline(__always) func add(to output: UnsafeMutablePointer<Float>, isFirst: Bool) {
    upper.add(to: output, isFirst: isFirst)
    lower.add(to: output + Upper.count &* panelWidth, isFirst: isFirst)
  }
  @inline(__always) static func pointers(_ rows: UnsafeRawPointer, _ stride: Int) -> Pointers {
    (Upper.pointers(rows, stride), Lower.pointers(rows + Upper.count &* stride, stride))
  }
  @inline(__always) static func elements(_ pointers: Pointers, _ at: Int) -> Elements {
    (Upper.elements(pointers.upper, at), Lower.elements(pointers.lower, at))
  }
  @inline(__always) mutating func addFirst(_ elements: Elements, _ lane: Int, _ columns: Quad) {
    upper.addFirst(elements.upper, lane, columns)
    lower.addFirst(elements.lower, lane, columns)
  }
  @inline(__always) mutating func addSecond(_ elements: Elements, _ lane: Int, _ columns: Quad) {
    upper.addSecond(elements.upper, lane, columns)
    lower.addSecond(elements.lower, lane, columns)
  }
}

private typealias TwoRows = Stack<OneRow, OneRow>
private typealias FourRows = Stack<TwoRows, TwoRows>

/// Sums up in halves from byte `begin` of every row up to byte `end`, whole registers.
@inline(never)
private func multiplyRun<Rows: HalfSums>(_: Rows.Type, _ tile: HalfTile, from begin: Int, to end: Int) {
  var sums = Rows()
  let pointers = Rows.pointers(tile.rows, tile.stride)
  var (at, columns) = (begin, tile.columns + 16 &* begin)
  repeat {
    let elements = Rows.elements(pointers, at)
    at &+= 16
    sums.step(elements, 0, columns)
    sums.step(elements, 1, columns + 32)
    sums.step(elements, 2, columns + 64)
    sums.step(elements, 3, columns + 96)
    sums.step(elements, 4, columns + 128)
    sums.step(elements, 5, columns + 160)
    sums.step(elements, 6, columns + 192)
    sums.step(elements, 7, columns + 224)
    columns += 256
  } while at < end
  sums.add(to: tile.output, isFirst: begin == 0)
}

@inline(__always)
private func multiplyRuns<Rows: HalfSums>(_: Rows.Type, _ tile: HalfTile) {
  for begin in stride(from: 0, to: tile.end, by: runBytes) {
    multiplyRun(Rows.self, tile, from: begin, to: min(begin &+ runBytes, tile.end))
  }
}

/// A tile of at most eight rows.
@inline(__always)
private func multiplyHalves(_ rows: Int, _ tile: HalfTile) {
  switch rows {
  case 1: multiplyRuns(OneRow.self, tile)
  case 2: multiplyRuns(TwoRows.self, tile)
  case 3: multiplyRuns(Stack<TwoRows, OneRow>.self, tile)
  case 4: multiplyRuns(FourRows.self, tile)
  case 5: multiplyRuns(Stack<FourRows, OneRow>.self, tile)
  case 6: multiplyRuns(Stack<FourRows, TwoRows>.self, tile)
  case 7: multiplyRuns(Stack<FourRows, Stack<TwoRows, OneRow>>.self, tile)
  default: multiplyRuns(Stack<FourRows, FourRows>.self, tile)
  }
}
