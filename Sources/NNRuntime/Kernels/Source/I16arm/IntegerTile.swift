// The register tile of integers, as that of floats (NNKernelsNEON/RegisterTile.swift): at most six registers of A times four of
// B, whose sums, six registers of A and two of B are all thirty-two registers. How many numbers a register multiplies, and how
// they lie, is the instruction's (`TileArithmetic`).

import CKernelShims

/// An instruction that multiplies integers of a register of rows with those of a register of columns.
protocol TileArithmetic: IntegerArithmetic {
  /// Rows whose numbers share a register.
  static var rowsTogether: Int { get }
  /// Columns whose sums with a register of rows are four registers.
  static var tileColumns: Int { get }
  /// Units of depth in a register of rows: one, four or eight.
  static var units: Int { get }
  /// Whether a register of columns is multiplied by halves: its lower for one register of sums, its upper for the next.
  static var multipliesHalves: Bool { get }
  /// The sums and the products with the unit `unit` of rows, of a register of columns or its lower half.
  static func add(_ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int) -> Quad
  /// As `add`, of the upper half.
  static func addUpper(_ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int) -> Quad
  /// Writes the sums of a register of rows as floats, rows `panelWidth` apart.
  static func store(_ sums: (Quad, Quad, Quad, Quad), _ output: UnsafeMutablePointer<Float>)
}

extension TileArithmetic {
  @inline(__always) static var granule: Int { 16 }
  /// Registers of rows, in a full tile.
  @inline(__always) static var tileRows: Int { 6 &* rowsTogether }
  @inline(__always) static var rowsTogether: Int { 1 }
  @inline(__always) static var tileColumns: Int { 16 }
  @inline(__always) static var units: Int { 16 / (unit &* rowsTogether) }
  @inline(__always) static var multipliesHalves: Bool { false }
  @inline(__always) static func addUpper(
    _ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int
  ) -> Quad { add(sums, columns, rows, unit) }
  @inline(__always) static func store(
    _ sums: (Quad, Quad, Quad, Quad), _ output: UnsafeMutablePointer<Float>
  ) {
    storeQuad(ardf_int32_quad_floats(sums.0), output, 0)
    storeQuad(ardf_int32_quad_floats(sums.1), output, 16)
    storeQuad(ardf_int32_quad_floats(sums.2), output, 32)
    storeQuad(ardf_int32_quad_floats(sums.3), output, 48)
  }

  @inline(__always)
  static func multiply(
    _ left: UnsafeRawPointer, leftStride: Int, rows: Int, words: Int, _ right: UnsafeRawPointer,
    columns: Int, _ output: UnsafeMutablePointer<Float>
  ) {
    let registers = (rows &+ rowsTogether &- 1) / rowsTogether
    let groups = (registers &+ 5) / 6
    for panel in stride(from: 0, to: columns, by: 16) {
      for group in 0..<groups {
        let first = registers &* group / groups
        let count = registers &* (group &+ 1) / groups &- first
        // Columns of a panel lie side by side in every unit.
        for column in stride(from: 0, to: 16, by: tileColumns) {
          multiplyRegisters(
            Self.self, count,
            (
              rows: left + first &* rowsTogether &* leftStride, stride: rowsTogether &* leftStride,
              end: words &* 4 &* rowsTogether, columns: right + (panel &* words &* 4 &+ column &* unit),
              output: output + (first &* rowsTogether &* panelWidth &+ panel &+ column)
            ))
        }
      }
    }
  }
}

/// A tile: registers of rows `stride` bytes apart, of `end` bytes each.
private typealias IntegerTile = (
  rows: UnsafeRawPointer, stride: Int, end: Int, columns: UnsafeRawPointer,
  output: UnsafeMutablePointer<Float>
)

/// Some registers of rows, and their sums.
private protocol TileSums {
  associatedtype Words: TileArithmetic
  /// Where the rows begin.
  associatedtype Pointers
  /// Sixteen bytes of each.
  associatedtype Elements
  static var count: Int { get }
  init()
  func store(to output: UnsafeMutablePointer<Float>)
  static func pointers(_ rows: UnsafeRawPointer, _ stride: Int) -> Pointers
  static func elements(_ pointers: Pointers, _ at: Int) -> Elements
  // The products of a unit of rows with the first to the fourth register of columns, or half registers.
  mutating func addFirst(_ elements: Elements, _ unit: Int, _ columns: Quad)
  mutating func addSecond(_ elements: Elements, _ unit: Int, _ columns: Quad)
  mutating func addThird(_ elements: Elements, _ unit: Int, _ columns: Quad)
  mutating func addFourth(_ elements: Elements, _ unit: Int, _ columns: Quad)
}

extension TileSums {
  @inline(__always)
  mutating func add(_ elements: Elements, _ unit: Int, _ columns: UnsafeRawPointer) {
    if Words.multipliesHalves {
      let first = loadQuad(columns, 0)
      addFirst(elements, unit, first)
      addSecond(elements, unit, first)
      let second = loadQuad(columns, 16)
      addThird(elements, unit, second)
      addFourth(elements, unit, second)
    } else {
      let (first, second) = (loadQuad(columns, 0), loadQuad(columns, 16))
      addFirst(elements, unit, first)
      addSecond(elements, unit, second)
      let (third, fourth) = (loadQuad(columns, 32), loadQuad(columns, 48))
      addThird(elements, unit, third)
      addFourth(elements, unit, fourth)
    }
  }
}

/// One register of rows.
private struct OneRegister<Words: TileArithmetic>: TileSums {
  var first = Quad(repeating: 0)
  var second = Quad(repeating: 0)
  var third = Quad(repeating: 0)
  var fourth = Quad(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>) {
    Words.store((first, second, third, fourth), output)
  }
  @inline(__always) static func pointers(_ rows: UnsafeRawPointer, _ stride: Int) -> UnsafeRawPointer {
    rows
  }
  @inline(__always) static func elements(_ pointer: UnsafeRawPointer, _ at: Int) -> Quad {
    loadQuad(pointer, at)
  }
  @inline(__always) mutating func addFirst(_ rows: Quad, _ unit: Int, _ columns: Quad) {
    first = Words.add(first, columns, rows, unit)
  }
  @inline(__always) mutating func addSecond(_ rows: Quad, _ unit: Int, _ columns: Quad) {
    second = Words.addUpper(second, columns, rows, unit)
  }
  @inline(__always) mutating func addThird(_ rows: Quad, _ unit: Int, _ columns: Quad) {
    third = Words.add(third, columns, rows, unit)
  }
  @inline(__always) mutating func addFourth(_ rows: Quad, _ unit: Int, _ columns: Quad) {
    fourth = Words.addUpper(fourth, columns, rows, unit)
  }
}

/// Two groups, one above the other.
private struct RegisterStack<Upper: TileSums, Lower: TileSums>: TileSums where Upper.Words == Lower.Words {
  typealias Words = Upper.Words
  typealias Pointers = (upper: Upper.Pointers, lower: Lower.Pointers)
  typealias Elements = (upper: Upper.Elements, lower: Lower.Elements)
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) init() {}
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>) {
    upper.store(to: output)
    lower.store(to: output + Upper.count &* Words.rowsTogether &* panelWidth)
  }
  @inline(__always) static func pointers(_ rows: UnsafeRawPointer, _ stride: Int) -> Pointers {
    (Upper.pointers(rows, stride), Lower.pointers(rows + Upper.count &* stride, stride))
  }
  @inline(__always) static func elements(_ pointers: Pointers, _ at: Int) -> Elements {
    (Upper.elements(pointers.upper, at), Lower.elements(pointers.lower, at))
  }
  @inline(__always) mutating func addFirst(_ elements: Elements, _ unit: Int, _ columns: Quad) {
    upper.addFirst(elements.upper, unit, columns)
    lower.addFirst(elements.lower, unit, columns)
  }
  @inline(__always) mutating func addSecond(_ elements: Elements, _ unit: Int, _ columns: Quad) {
    upper.addSecond(elements.upper, unit, columns)
    lower.addSecond(elements.lower, unit, columns)
  }
  @inline(__always) mutating func addThird(_ elements: Elements, _ unit: Int, _ columns: Quad) {
    upper.addThird(elements.upper, unit, columns)
    lower.addThird(elements.lower, unit, columns)
  }
  @inline(__always) mutating func addFourth(_ elements: Elements, _ unit: Int, _ columns: Quad) {
    upper.addFourth(elements.upper, unit, columns)
    lower.addFourth(elements.lower, unit, columns)
  }
}

private typealias TwoRegisters<Words: TileArithmetic> = RegisterStack<OneRegister<Words>, OneRegister<Words>>
private typealias FourRegisters<Words: TileArithmetic> = RegisterStack<
  TwoRegisters<Words>, TwoRegisters<Words>
>

/// The products of a tile, a register of rows at a time, or two of one unit each.
@inline(never)
private func multiplyIntegers<Sums: TileSums>(_: Sums.Type, _ tile: IntegerTile) {
  var sums = Sums()
  let pointers = Sums.pointers(tile.rows, tile.stride)
  let step = 16 &* Sums.Words.unit
  var (at, columns) = (0, tile.columns)
  repeat {
    let elements = Sums.elements(pointers, at)
    at &+= 16
    sums.add(elements, 0, columns)
    columns += step
    // Of two rows together sixteen bytes are half of what depths are multiples of.
    if Sums.Words.units == 1 {
      let next = Sums.elements(pointers, at)
      at &+= 16
      sums.add(next, 0, columns)
      columns += step
    }
    if Sums.Words.units > 1 {
      sums.add(elements, 1, columns)
      columns += step
      sums.add(elements, 2, columns)
      columns += step
      sums.add(elements, 3, columns)
      columns += step
    }
    if Sums.Words.units > 4 {
      sums.add(elements, 4, columns)
      columns += step
      sums.add(elements, 5, columns)
      columns += step
      sums.add(elements, 6, columns)
      columns += step
      sums.add(elements, 7, columns)
      columns += step
    }
  } while at < tile.end
  sums.store(to: tile.output)
}

/// A tile of `count` registers of rows.
@inline(__always)
private func multiplyRegisters<Words: TileArithmetic>(_: Words.Type, _ count: Int, _ tile: IntegerTile) {
  switch count {
  case 1: multiplyIntegers(OneRegister<Words>.self, tile)
  case 2: multiplyIntegers(TwoRegisters<Words>.self, tile)
  case 3: multiplyIntegers(RegisterStack<TwoRegisters<Words>, OneRegister<Words>>.self, tile)
  case 4: multiplyIntegers(FourRegisters<Words>.self, tile)
  case 5: multiplyIntegers(RegisterStack<FourRegisters<Words>, OneRegister<Words>>.self, tile)
  default: multiplyIntegers(RegisterStack<FourRegisters<Words>, TwoRegisters<Words>>.self, tile)
  }
}
