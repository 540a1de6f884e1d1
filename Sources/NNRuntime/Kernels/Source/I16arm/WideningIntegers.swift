import CKernelShims

typealias ScaledWords = WideningIntegers

/// Integers of 16 bits, one of a row times eight of as many columns (`smlal`, `smlal2`): as many products as of floats.
enum WideningIntegers: TileArithmetic, ScaledNumbers {
  @inline(__always) static var unit: Int { 2 }
  @inline(__always) static var multipliesHalves: Bool { true }
  @inline(__always) static func add(_ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int) -> Quad {
    ardf_int16_multiply(sums, columns, rows, unit)
  }
  @inline(__always) static func addUpper(_ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int) -> Quad {
    ardf_int16_multiply_upper(sums, columns, rows, unit)
  }
}
