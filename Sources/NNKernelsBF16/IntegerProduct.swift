// Products of 16-bit integers with exact sums of 32 bits: `vpdpwssd` multiplies pairs as fast as `vdpbf16ps` does, and
// an integer of a vector that shares a scale has more digits than a bf16.
//
// Left and right are scaled such that the Euclidean norm of every row of the one is at most `leftNorm` and of every
// column of the other at most `rightNorm`. No sum exceeds their product then (Cauchy and Schwarz), and none overflows.

import CKernelShims

/// Largest norm of a row, also after rounding, so that every number fits 16 bits.
@inline(__always) var leftNorm: Float { 32_000 }
/// Largest norm of a column: the product of both and a tenth more is below 2^31.
@inline(__always) var rightNorm: Float { 60_000 }

/// Most rows that are multiplied at once.
@inline(__always) var integerRows: Int { 14 }

/// C (rows x columns, 32 apart) = A * B, as floats.
///
/// Row r of A starts `r * leftStride` bytes behind `left`. B is (16 columns, pair, column, 2).
@inline(__always)
func multiplyIntegers(
  _ left: UnsafeRawPointer, leftStride: Int, rows: Int, depth: Int, _ right: UnsafeRawPointer, columns: Int,
  _ output: UnsafeMutablePointer<Float>
) {
  withUnsafePointer(to: 0) { segment in
    let product: BlockProduct = (
      rows: left, rowStride: leftStride, segments: segment, segmentCount: 1, steps: 1, step: depth,
      columns: right, output: output, readsAhead: false
    )
    let groups = (rows &+ integerRows &- 1) / integerRows
    for group in 0..<groups {
      let first = rows &* group / groups
      let count = rows &* (group &+ 1) / groups &- first
      if columns > 16 {
        multiplyRows(WideIntegers.self, product, first, count)
      } else {
        multiplyRows(NarrowIntegers.self, product, first, count)
      }
    }
  }
}

/// One row of sixteen columns; the bits of integers as those of floats.
private struct NarrowIntegers: SumGroup {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { false }
  @inline(__always) init() {}

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    sum = ardf_int16_dot(sum, pair, columns.loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) { NNKernelsBF16.store(ardf_int32_floats(sum), output) }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// One row of thirty-two columns.
private struct WideIntegers: SumGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { true }
  @inline(__always) init() {}

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    low = ardf_int16_dot(low, pair, columns.loadUnaligned(as: Vector.self))
    high = ardf_int16_dot(high, pair, (columns + second).loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) {
    NNKernelsBF16.store(ardf_int32_floats(low), output)
    NNKernelsBF16.store(ardf_int32_floats(high), output + panelWidth / 2)
  }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}
