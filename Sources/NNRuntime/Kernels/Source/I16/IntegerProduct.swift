// Products of integers with exact sums of 32 bits: an instruction multiplies some of 16 bits or of 8 with as many others, and
// an integer of a vector that shares a scale has more digits than a float of as many bits.
//
// Rows and columns of 16 bits are scaled such that the Euclidean norm of every row is at most `leftNorm` and of every
// column at most `rightNorm`. No sum exceeds their product then (Cauchy and Schwarz), and none overflows. Those of 8 bits
// are at most 128 * 255 times as many as their products, of which their kernels' domains bound the number.

import CKernelShims
import NNKernelInterface

/// How an instruction set lays integers of a width and multiplies them: `ScaledWords` of 16 bits and `IntegerQuads` of 8 are
/// each instruction set's own.
protocol IntegerArithmetic {
  /// Contiguous bytes of one column's numbers; as many of the next column's follow.
  static var unit: Int { get }
  /// Bytes that numbers of a row and of a column fill up to a multiple of, with zeros.
  static var granule: Int { get }
  /// Most rows whose sums the vector registers hold.
  static var tileRows: Int { get }
  /// Bytes from the first row of a block to where row `row` begins, if rows are `stride` bytes.
  static func offset(ofRow row: Int, _ stride: Int) -> Int
  /// C (rows x columns, `panelWidth` apart) = A * B, as floats.
  ///
  /// Row r of A starts `offset(ofRow: r, leftStride)` bytes after `left`, and is `words` words of four bytes.
  /// B is (16 columns, unit, column, bytes of a unit).
  static func multiply(
    _ left: UnsafeRawPointer, leftStride: Int, rows: Int, words: Int, _ right: UnsafeRawPointer,
    columns: Int, _ output: UnsafeMutablePointer<Float>)
}

extension IntegerArithmetic {
  /// Rows are contiguous, one after the other.
  @inline(__always) static func offset(ofRow row: Int, _ stride: Int) -> Int { row &* stride }
}

/// Numbers of 16 bits, which share a scale a row and a column: integers, unless an instruction set says otherwise.
///
/// `ScaledWords` are each instruction set's own. Rows have the Euclidean norm `leftNorm`, columns at most `rightNorm`.
protocol ScaledNumbers: IntegerArithmetic {
  /// Element type of the products.
  static var element: ProductElement { get }
  /// How far products of them may be from the definition.
  static var tolerance: KernelTolerance { get }
  /// Largest norm of a row, also after rounding, so that every number fits 16 bits.
  static var leftNorm: Float { get }
  /// Largest norm of a column.
  static var rightNorm: Float { get }
  /// Largest number of a column.
  static var largest: Float { get }
  /// Stores sixteen numbers, rounded.
  static func store(_ numbers: Vector, _ target: UnsafeMutableRawPointer)
  /// Stores two numbers of each of sixteen columns, rounded, as columns lie.
  static func storePairs(_ even: Vector, _ odd: Vector, _ target: UnsafeMutableRawPointer)
}

/// Integers: the product of both norms and a tenth more is below 2^31.
extension ScaledNumbers {
  @inline(__always) static var element: ProductElement { .int16 }
  static var tolerance: KernelTolerance { .integers }
  @inline(__always) static var leftNorm: Float { 32_000 }
  @inline(__always) static var rightNorm: Float { 60_000 }
  @inline(__always) static var largest: Float { 32_767 }
  @inline(__always) static func store(_ numbers: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_int16_store(target, numbers)
  }
  @inline(__always)
  static func storePairs(_ even: Vector, _ odd: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_int16_store_pairs(target, even, odd)
  }
}

/// Most rows of 16 bits whose sums the vector registers hold.
@inline(__always) var mostVectorRows: Int { ScaledWords.tileRows }
