// What AVX-512 does differently: two zmm vectors a row, fourteen rows a tile (28 of the 32 registers).

/// Sixteen lanes: one zmm register.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction.
@inline(__always)
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

enum InstructionSet {
  static let name = "avx512"
  /// Output channels in a full panel of packed weights.
  static let panelWidth = 32
  /// Most rows that a tile of accumulators holds.
  static let tileRows = 14
}

/// Multiplies `rows` rows with one panel, `panelWidth` or 16 columns wide.
@inline(never)
func multiplyTile(_ product: TileProduct, rows: Int, columns: Int) {
  if columns > 16 {
    multiplyRows(WideRow.self, product, rows)
  } else {
    multiplyRows(NarrowRow.self, product, rows)
  }
}

@inline(__always)
private func multiplyRows<Row: RowGroup>(_: Row.Type, _ product: TileProduct, _ rows: Int) {
  switch rows {
  case 1: multiply(Row.self, product)
  case 2: multiply(Rows2<Row>.self, product)
  case 3: multiply(Rows3<Row>.self, product)
  case 4: multiply(Rows4<Row>.self, product)
  case 5: multiply(Rows5<Row>.self, product)
  case 6: multiply(Rows6<Row>.self, product)
  case 7: multiply(Rows7<Row>.self, product)
  case 8: multiply(Rows8<Row>.self, product)
  case 9: multiply(Rows9<Row>.self, product)
  case 10: multiply(Rows10<Row>.self, product)
  case 11: multiply(Rows11<Row>.self, product)
  case 12: multiply(Rows12<Row>.self, product)
  case 13: multiply(Rows13<Row>.self, product)
  default: multiply(Rows14<Row>.self, product)
  }
}
