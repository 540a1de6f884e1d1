import CKernelShims

/// Eight integers of 8 bits of two rows times eight of two columns (`smmla`): eight times as many products as of floats.
///
/// Two rows are interleaved in pieces of eight bytes, so that a register holds both.
enum IntegerQuads: TileArithmetic, ByteArithmetic {
  @inline(__always) static var shift: Float { 128 }
  @inline(__always) static var unit: Int { 8 }
  @inline(__always) static var rowsTogether: Int { 2 }
  @inline(__always) static var interleavesRows: Bool { true }
  @inline(__always) static var tileColumns: Int { 8 }
  @inline(__always) static func add(_ sums: Quad, _ columns: Quad, _ rows: Quad, _ unit: Int) -> Quad {
    ardf_int8_matrix(sums, rows, columns)
  }

  @inline(__always) static func offset(ofRow row: Int, _ stride: Int) -> Int {
    row / 2 &* 2 &* stride &+ row % 2 &* 8
  }

  @inline(__always)
  static func store(_ integers: Vector, _ row: UnsafeMutableRawPointer, at index: Int) {
    ardf_int8_store_centered_halves(row + 2 &* index, integers)
  }

  @inline(__always)
  static func storeNumbers(_ integers: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_int8_store_centered(target, integers)
  }

  @inline(__always)
  static func interleave(_ numbers: UnsafeRawPointer, _ count: Int, _ row: UnsafeMutableRawPointer) {
    for index in stride(from: 0, to: count, by: 8) {
      row.storeBytes(
        of: (numbers + index).loadUnaligned(as: UInt64.self), toByteOffset: 2 &* index, as: UInt64.self)
    }
  }

  /// Matrices of two rows and two columns side by side are two rows; where there is no second row, it is written all the same.
  @inline(__always) static func store(
    _ sums: (Quad, Quad, Quad, Quad), _ output: UnsafeMutablePointer<Float>
  ) {
    let first = (ardf_int32_quad_floats(sums.0), ardf_int32_quad_floats(sums.1))
    let second = (ardf_int32_quad_floats(sums.2), ardf_int32_quad_floats(sums.3))
    storeQuad(Quad(lowHalf: first.0.lowHalf, highHalf: first.1.lowHalf), output, 0)
    storeQuad(Quad(lowHalf: second.0.lowHalf, highHalf: second.1.lowHalf), output, 16)
    let below = panelWidth &* 4
    storeQuad(Quad(lowHalf: first.0.highHalf, highHalf: first.1.highHalf), output, below)
    storeQuad(Quad(lowHalf: second.0.highHalf, highHalf: second.1.highHalf), output, below &+ 16)
  }
}
