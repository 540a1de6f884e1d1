// What AVX2 does differently: a sixteen-lane vector is two ymm registers, so six rows of one vector fill
// twelve of the sixteen registers.

/// Sixteen lanes: two ymm registers.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction a register.
@inline(__always)
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

enum InstructionSet {
  static let name = "avx2"
  /// Output channels in a full panel of packed weights.
  static let panelWidth = 16
  /// Most rows that a tile of accumulators holds.
  static let tileRows = 6
}

/// Multiplies `rows` rows with one panel of 16 columns.
@inline(never)
func multiplyTile(_ product: TileProduct, rows: Int, columns: Int) {
  switch rows {
  case 1: multiply(NarrowRow.self, product)
  case 2: multiply(Rows2<NarrowRow>.self, product)
  case 3: multiply(Rows3<NarrowRow>.self, product)
  case 4: multiply(Rows4<NarrowRow>.self, product)
  case 5: multiply(Rows5<NarrowRow>.self, product)
  default: multiply(Rows6<NarrowRow>.self, product)
  }
}
