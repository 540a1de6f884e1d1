// A matrix of 16 x 16 words transposed in registers: 64 instructions, where gathering a column is sixteen loads.

import CKernelShims

private typealias Four = (Vector, Vector, Vector, Vector)

/// Writes column j of sixteen rows of sixteen words as `write(j, column)`; `read(i)` is row i.
@inline(__always)
func transpose(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
  let a = transposeWords((read(0), read(1), read(2), read(3)))
  let b = transposeWords((read(4), read(5), read(6), read(7)))
  let c = transposeWords((read(8), read(9), read(10), read(11)))
  let d = transposeWords((read(12), read(13), read(14), read(15)))
  writeColumns((a.0, b.0, c.0, d.0), 0, write)
  writeColumns((a.1, b.1, c.1, d.1), 1, write)
  writeColumns((a.2, b.2, c.2, d.2), 2, write)
  writeColumns((a.3, b.3, c.3, d.3), 3, write)
}

/// Transposes the 4 x 4 words in every quarter of four rows: quarter q of result j is column 4 q + j of the rows.
@_transparent
private func transposeWords(_ rows: Four) -> Four {
  let (low0, high0) = (ardf_lower_words(rows.0, rows.1), ardf_upper_words(rows.0, rows.1))
  let (low1, high1) = (ardf_lower_words(rows.2, rows.3), ardf_upper_words(rows.2, rows.3))
  return (
    ardf_lower_pairs(low0, low1), ardf_upper_pairs(low0, low1), ardf_lower_pairs(high0, high1),
    ardf_upper_pairs(high0, high1)
  )
}

/// Transposes 4 x 4 quarters: quarter q of all four parts makes column 4 q + j.
@_transparent
private func writeColumns(_ parts: Four, _ j: Int, _ write: (Int, Vector) -> Void) {
  let (even0, even1) = (ardf_even_quarters(parts.0, parts.1), ardf_even_quarters(parts.2, parts.3))
  let (odd0, odd1) = (ardf_odd_quarters(parts.0, parts.1), ardf_odd_quarters(parts.2, parts.3))
  write(j, ardf_even_quarters(even0, even1))
  write(4 &+ j, ardf_even_quarters(odd0, odd1))
  write(8 &+ j, ardf_odd_quarters(even0, even1))
  write(12 &+ j, ardf_odd_quarters(odd0, odd1))
}
