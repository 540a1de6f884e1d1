// The product of a block: 32 rows of A, bf16 where they lie, times a panel of B, with sums in floats.
//
// B is packed: for every step of the inner dimension one or two tiles, each (step / 2, 16 columns, 2), the layout
// that both the tile and the vector instructions multiply pairs in. A tile's row and a broadcast pair are the
// same bytes of A, so that neither variant ever rearranges it.

import CKernelShims

/// The processor's own products: by tiles, or by vectors.
enum OwnProducts: BlockProducts {
  /// Rows of a block that leave nothing over: two tiles, or two groups of vectors.
  @inline(__always)
  static func wholeBlock(tiles: Bool) -> Int { tiles ? blockRows : 2 &* mostVectorRows }

  /// Floats of memory that a product works in: registers are enough.
  @inline(__always) static var productRoom: Int { 0 }

  /// Multiplies the first `rows` rows, at most `blockRows`, with 16 or 32 columns.
  ///
  /// The rows after them that fill the last tile are read, and their sums written, too; vectors touch no other
  /// rows.
  @inline(__always)
  static func multiplyBlock(
    _ product: BlockProduct, tiles: Bool, rows: Int, columnTiles: Int, _ room: UnsafeMutablePointer<Float>
  ) {
    if tiles {
      switch (rows > 16 ? 2 : 1, columnTiles) {
      case (2, 2): multiplyTiles2x2(product)
      case (2, _): multiplyTiles2x1(product)
      case (_, 2): multiplyTiles1x2(product)
      default: multiplyTiles1x1(product)
      }
    } else {
      // Eight rows are no slower where A and B are near; up to fourteen read B less often.
      let most = rows == blockRows ? 8 : mostVectorRows
      let groups = (rows &+ most &- 1) / most
      for group in 0..<groups {
        let first = rows &* group / groups
        let count = rows &* (group &+ 1) / groups &- first
        multiplyVectors(product, first, count, wide: columnTiles == 2)
      }
    }
  }

  /// Shapes the tiles for products of this step; nothing without tiles.
  @inline(__always)
  static func beginProducts(step: Int, tiles: Bool) {
    guard tiles else { return }
    // Palette 1; bytes 16... are the tiles' bytes a row, bytes 48... their rows.
    let sums: UInt16 = 64
    let a = UInt16(truncatingIfNeeded: step &* 2)
    let rows: UInt8 = 16
    let pairs = UInt8(truncatingIfNeeded: step / 2)
    var configuration = SIMD64<UInt8>(repeating: 0)
    withUnsafeMutableBytes(of: &configuration) { bytes in
      let base = bytes.baseAddress!
      base.storeBytes(of: 1, as: UInt8.self)
      for tile in 0..<8 {
        let isA = tile == 4 || tile == 5
        base.storeBytes(of: isA ? a : sums, toByteOffset: 16 + 2 * tile, as: UInt16.self)
        base.storeBytes(of: tile < 6 ? rows : pairs, toByteOffset: 48 + tile, as: UInt8.self)
      }
      ardf_tiles_configure(base)
    }
  }

  /// Gives the tile registers back: what does not use them then saves nothing on a context switch.
  @inline(__always)
  static func endProducts(tiles: Bool) {
    if tiles { ardf_tiles_release() }
  }
}

// MARK: Tiles

@inline(never)
private func multiplyTiles2x2(_ product: BlockProduct) {
  ardf_tile_clear_0()
  ardf_tile_clear_1()
  ardf_tile_clear_2()
  ardf_tile_clear_3()
  var columns = product.columns
  let (tileBytes, stepBytes) = (product.step &* 32, product.step &* 2)
  for segment in 0..<product.segmentCount {
    var upper = product.rows + product.segments[segment]
    var lower = upper + 16 &* product.rowStride
    for _ in 0..<product.steps {
      ardf_tile_load_6(columns, 64)
      ardf_tile_load_4(upper, product.rowStride)
      ardf_tile_load_7(columns + tileBytes, 64)
      ardf_tile_load_5(lower, product.rowStride)
      ardf_tile_multiply_0()
      ardf_tile_multiply_1()
      ardf_tile_multiply_2()
      ardf_tile_multiply_3()
      upper += stepBytes
      lower += stepBytes
      columns += 2 &* tileBytes
    }
  }
  ardf_tile_store_0(product.output, 128)
  ardf_tile_store_1(product.output + 16, 128)
  ardf_tile_store_2(product.output + 512, 128)
  ardf_tile_store_3(product.output + 528, 128)
}

@inline(never)
private func multiplyTiles2x1(_ product: BlockProduct) {
  ardf_tile_clear_0()
  ardf_tile_clear_2()
  var columns = product.columns
  let (tileBytes, stepBytes) = (product.step &* 32, product.step &* 2)
  for segment in 0..<product.segmentCount {
    var upper = product.rows + product.segments[segment]
    var lower = upper + 16 &* product.rowStride
    for _ in 0..<product.steps {
      ardf_tile_load_6(columns, 64)
      ardf_tile_load_4(upper, product.rowStride)
      ardf_tile_load_5(lower, product.rowStride)
      ardf_tile_multiply_0()
      ardf_tile_multiply_2()
      upper += stepBytes
      lower += stepBytes
      columns += tileBytes
    }
  }
  ardf_tile_store_0(product.output, 128)
  ardf_tile_store_2(product.output + 512, 128)
}

@inline(never)
private func multiplyTiles1x2(_ product: BlockProduct) {
  ardf_tile_clear_0()
  ardf_tile_clear_1()
  var columns = product.columns
  let (tileBytes, stepBytes) = (product.step &* 32, product.step &* 2)
  for segment in 0..<product.segmentCount {
    var upper = product.rows + product.segments[segment]
    for _ in 0..<product.steps {
      ardf_tile_load_6(columns, 64)
      ardf_tile_load_4(upper, product.rowStride)
      ardf_tile_load_7(columns + tileBytes, 64)
      ardf_tile_multiply_0()
      ardf_tile_multiply_1()
      upper += stepBytes
      columns += 2 &* tileBytes
    }
  }
  ardf_tile_store_0(product.output, 128)
  ardf_tile_store_1(product.output + 16, 128)
}

@inline(never)
private func multiplyTiles1x1(_ product: BlockProduct) {
  ardf_tile_clear_0()
  var columns = product.columns
  let (tileBytes, stepBytes) = (product.step &* 32, product.step &* 2)
  for segment in 0..<product.segmentCount {
    var upper = product.rows + product.segments[segment]
    for _ in 0..<product.steps {
      ardf_tile_load_6(columns, 64)
      ardf_tile_load_4(upper, product.rowStride)
      ardf_tile_multiply_0()
      upper += stepBytes
      columns += tileBytes
    }
  }
  ardf_tile_store_0(product.output, 128)
}
