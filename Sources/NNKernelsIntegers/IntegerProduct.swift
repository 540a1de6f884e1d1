// Products of integers with exact sums of 32 bits: an instruction multiplies pairs of 16 bits (`vpdpwssd`, `vpmaddwd`) or four
// times 8 bits (`vpdpbusd`), and an integer of a vector that shares a scale has more digits than a float of as many bits.
//
// Rows and columns of 16 bits are scaled such that the Euclidean norm of every row is at most `leftNorm` and of every
// column at most `rightNorm`. No sum exceeds their product then (Cauchy and Schwarz), and none overflows. Those of 8 bits
// are at most 127 * 255 * depth, and a depth is below 65,000.

import CKernelShims

/// Most rows whose sums the vector registers hold.
@inline(__always) var mostVectorRows: Int { InstructionSet.tileRows }

/// Largest norm of a row, also after rounding, so that every number fits 16 bits.
@inline(__always) var leftNorm: Float { 32_000 }
/// Largest norm of a column: the product of both and a tenth more is below 2^31.
@inline(__always) var rightNorm: Float { 60_000 }

/// Pairs of 16 bits; the bits of sums lie in floats.
enum IntegerPairs: WordArithmetic {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_int16_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { ardf_int32_floats(sum) }
}

/// Four of 8 bits, those of rows from 0 to 255, those of columns signed; the bits of sums lie in floats.
enum IntegerQuads: WordArithmetic {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_int8_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { ardf_int32_floats(sum) }
}

/// C (rows x columns, `panelWidth` apart) = A * B, as floats.
///
/// Row r of A starts `r * leftStride` bytes behind `left`, and is `words` words of four bytes. B is (16 columns, word,
/// column, four bytes).
@inline(__always)
func multiplyIntegers<Words: WordArithmetic>(
  _: Words.Type, _ left: UnsafeRawPointer, leftStride: Int, rows: Int, words: Int, _ right: UnsafeRawPointer,
  columns: Int, _ output: UnsafeMutablePointer<Float>
) {
  withUnsafePointer(to: 0) { segment in
    let product: BlockProduct = (
      rows: left, rowStride: leftStride, segments: segment, segmentCount: 1, steps: 1, step: 2 &* words,
      columns: right, output: output, readsAhead: false
    )
    let groups = (rows &+ mostVectorRows &- 1) / mostVectorRows
    for group in 0..<groups {
      let first = rows &* group / groups
      let count = rows &* (group &+ 1) / groups &- first
      if panelWidth > 16, columns > 16 {
        multiplyRows(WideSums<Words>.self, product, first, count)
      } else {
        multiplyRows(NarrowSums<Words>.self, product, first, count)
      }
    }
  }
}
