// The product of some rows of A with a panel of B, whatever the numbers: they are multiplied four bytes at a time.
//
// B is packed: for every step of the inner dimension one or two tiles, each (step / 2, 16 columns, four bytes). A word of a
// row, in all lanes, is multiplied with a vector of B.

/// C (rows x columns, `panelWidth` apart) = sum over segments and steps of A * B.
///
/// Row r of segment s starts `segments[s] + r * rowStride` bytes after `rows`; it is `steps` pieces of `step`
/// numbers, even and at most 32. Where `readsAhead`, vectors prefetch the rows after theirs meanwhile.
typealias BlockProduct = (
  rows: UnsafeRawPointer, rowStride: Int, segments: UnsafePointer<Int>, segmentCount: Int, steps: Int,
  step: Int, columns: UnsafeRawPointer, output: UnsafeMutablePointer<Float>, readsAhead: Bool
)

/// Columns of a panel.
@inline(__always) var panelWidth: Int { InstructionSet.panelWidth }
