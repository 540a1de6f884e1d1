// What AVX-512 does differently: two zmm vectors a row, fourteen rows a tile (28 of the 32 registers).

/// Sixteen lanes: one zmm register.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction.
@inline(__always)
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

enum InstructionSet {
  static let name = "avx512"
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 32 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 14 }
}
