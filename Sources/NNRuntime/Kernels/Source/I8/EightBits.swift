// Rows and columns of 8 bits, for processors that multiply four of them and more in a lane.

import CKernelShims
import NNKernelInterface

/// How an instruction set holds and multiplies integers of 8 bits.
protocol ByteArithmetic: IntegerArithmetic {
  /// Offset subtracted from a row's numbers, which makes them signed where it is 128.
  static var shift: Float { get }
  /// Stores sixteen numbers side by side.
  static func storeNumbers(_ integers: Vector, _ target: UnsafeMutableRawPointer)
  /// Stores sixteen numbers of a row, from the one with this index on.
  static func store(_ integers: Vector, _ row: UnsafeMutableRawPointer, at index: Int)
  /// Whether rows are not contiguous.
  static var interleavesRows: Bool { get }
  /// Puts numbers that lie side by side, up to seven more than `count`, where those of a row lie.
  static func interleave(_ numbers: UnsafeRawPointer, _ count: Int, _ row: UnsafeMutableRawPointer)
}

/// Rows are contiguous, unless an instruction set says otherwise.
extension ByteArithmetic {
  @inline(__always)
  static func store(_ integers: Vector, _ row: UnsafeMutableRawPointer, at index: Int) {
    storeNumbers(integers, row + index)
  }
  @inline(__always) static var interleavesRows: Bool { false }
  @inline(__always)
  static func interleave(_ numbers: UnsafeRawPointer, _ count: Int, _ row: UnsafeMutableRawPointer) {}
}

/// Integers of 8 bits: a row x becomes a = round((x - low) / scale) from 0 to 255, low its least number or zero, and a column
/// w becomes q = round(w / columnScale) of at most
/// `InstructionSet.largestByte`.
///
/// From a sum of products p, sum x w = columnScale (scale p + low sum q). Where a processor multiplies signed numbers alone, a
/// row's are a - 128, and low is 128 scales higher.
enum EightBits: DynamicIntegers {
  typealias Words = IntegerQuads
  /// Most products whose sum fits 32 bits, whatever they are.
  static var mostProducts: Int { Int(Int32.max) / (255 * 128) }
  @inline(__always) static var bytes: Int { 1 }
  /// Scale; low.
  @inline(__always) static var rowFloats: Int { 2 }
  /// Scale; sum q.
  @inline(__always) static var columnFloats: Int { 2 }

  /// Rounds a row to integers of 8 bits; NaN or infinity in it makes the whole row NaN, by its range.
  @inline(__always)
  static func roundRow<Element: MapElement>(
    _ element: Element, _ source: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutableRawPointer,
    _ described: UnsafeMutablePointer<Float>, stride: Int
  ) {
    let (low, high) = element.range(source, count)
    let scale = max((high - low) * (1.0 / 255), .leastNormalMagnitude)
    let factor = 1 / scale
    let (factors, shift) = (Vector(repeating: factor), Vector(repeating: -low * factor))
    forEachVector(count) {
      let x = element.loadSome(source + $0 &* element.size, $1)
      var integers = ardf_int32_nearest(multiplyAdd(x, factors, shift))
      if $1 < 16 { integers = ardf_keep(integers, $1) }
      Words.store(integers, target, at: $0)
    }
    described[0] = scale
    described[stride] = Words.shift == 0 ? low : low + Words.shift * scale
  }

  @inline(__always)
  static func columnScale(_ column: UnsafePointer<Float>, _ count: Int, factor: Float) -> Float {
    var largest = Vector(repeating: 0)
    for index in stride(from: 0, to: count, by: 16) {
      let x = load(column + index)
      largest = larger(largest, larger(x, Vector(repeating: 0) - x))
    }
    return max(maximum(largest) / InstructionSet.largestByte, .leastNormalMagnitude)
  }

  @inline(__always)
  static func roundColumn(_ column: Vector, _ factor: Float, _ target: UnsafeMutableRawPointer) -> Float {
    let integers = ardf_int32_nearest(column * Vector(repeating: factor))
    ardf_int8_store(target, integers)
    return Float(ardf_int32_sum(integers))
  }

  @inline(__always)
  static func scaling(
    rows: UnsafePointer<Float>, stride: Int, columns: UnsafePointer<Float>, stride columnStride: Int,
    isWide: Bool
  ) -> RangedSums {
    let second = isWide ? 16 : 0
    return RangedSums(
      rows: rows, stride: stride, low: load(columns), high: load(columns + second),
      lowSums: load(columns + columnStride), highSums: load(columns + columnStride + second))
  }
}

/// Sums of products of integers with a scale a row and a column, and a least number a row.
struct RangedSums: SumScaling {
  let rows: UnsafePointer<Float>
  let stride: Int
  let low, high, lowSums, highSums: Vector

  @inline(__always) func sum(_ products: Vector, row: Int, isSecond: Bool, bias: Vector) -> Vector {
    let (scale, least) = (Vector(repeating: rows[row]), Vector(repeating: rows[row &+ stride]))
    let sum = multiplyAdd(products, scale, (isSecond ? highSums : lowSums) * least)
    return multiplyAdd(sum, isSecond ? high : low, bias)
  }
}
