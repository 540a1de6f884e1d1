import CKernelShims

/// Four integers of 8 bits of a row times four of four columns (`sdot`): four times as many products as of floats.
enum IntegerQuads: TileArithmetic, ByteArithmetic {
  @inline(__always) static var shift: Float { 128 }
  @inline(__always) static var unit: Int { 4 }
  @inline(__always) static func add(_ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int) -> Quad {
    ardf_int8_dot_lane(sums, columns, rows, unit)
  }

  @inline(__always)
  static func storeNumbers(_ integers: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_int8_store_centered(target, integers)
  }
}
