// Products of 16-bit integers with exact sums of 32 bits: `vpdpwssd` multiplies pairs as fast as `vdpbf16ps` does, and
// an integer of a vector that shares a scale has more digits than a bf16.
//
// Left and right are scaled such that the Euclidean norm of every row of the one is at most `leftNorm` and of every
// column of the other at most `rightNorm`. No sum exceeds their product then (Cauchy and Schwarz), and none overflows.

/// Largest norm of a row, also after rounding, so that every number fits 16 bits.
@inline(__always) var leftNorm: Float { 32_000 }
/// Largest norm of a column: the product of both and a tenth more is below 2^31.
@inline(__always) var rightNorm: Float { 60_000 }

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
    let groups = (rows &+ mostVectorRows &- 1) / mostVectorRows
    for group in 0..<groups {
      let first = rows &* group / groups
      let count = rows &* (group &+ 1) / groups &- first
      multiplyIntegerVectors(product, first, count, wide: columns > 16)
    }
  }
}
