// What the product of a block is told: 32 rows of A, bf16 where they lie, times a panel of B, with sums in floats.
//
// B is packed: for every step of the inner dimension one or two tiles, each (step / 2, 16 columns, 2): pairs of numbers, as
// AVX-512 and AMX multiply them. How each instruction set multiplies is its own.

/// C (rows x columns, 32 apart) = sum over segments and steps of A * B.
///
/// Row r of segment s starts `segments[s] + r * rowStride` bytes behind `rows`; it is `steps` pieces of `step`
/// numbers, even and at most 32. Where `readsAhead`, vectors bring the rows behind theirs near meanwhile.
typealias BlockProduct = (
  rows: UnsafeRawPointer, rowStride: Int, segments: UnsafePointer<Int>, segmentCount: Int, steps: Int,
  step: Int, columns: UnsafeRawPointer, output: UnsafeMutablePointer<Float>, readsAhead: Bool
)

/// Most rows of a block, and columns of a panel.
@inline(__always) var blockRows: Int { 32 }
@inline(__always) var panelWidth: Int { 32 }
