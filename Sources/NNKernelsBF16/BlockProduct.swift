// The product of a block: 32 rows of A, bf16 where they lie, times a panel of B, with sums in floats.
//
// B is packed: for every step of the inner dimension one or two tiles, each (step / 2, 16 columns, 2), the layout
// that both the tile and the vector instructions multiply pairs in. A tile's row and a broadcast pair are the
// same bytes of A, so that neither variant ever rearranges it.

import CKernelShims

/// C (rows x columns, 32 apart) = sum over segments and steps of A * B.
///
/// Row r of segment s starts `segments[s] + r * rowStride` bytes behind `rows`; it is `steps` pieces of `step`
/// numbers, even and at most 32.
typealias BlockProduct = (
  rows: UnsafeRawPointer, rowStride: Int, segments: UnsafePointer<Int>, segmentCount: Int, steps: Int,
  step: Int, columns: UnsafeRawPointer, output: UnsafeMutablePointer<Float>
)

/// Rows of a block, and columns of a panel.
@inline(__always) var blockRows: Int { 32 }
@inline(__always) var panelWidth: Int { 32 }

/// Multiplies 16 or 32 rows with 16 or 32 columns.
@inline(__always)
func multiplyBlock(_ product: BlockProduct, tiles: Bool, rowTiles: Int, columnTiles: Int) {
  if tiles {
    switch (rowTiles, columnTiles) {
    case (2, 2): multiplyTiles2x2(product)
    case (2, _): multiplyTiles2x1(product)
    case (_, 2): multiplyTiles1x2(product)
    default: multiplyTiles1x1(product)
    }
  } else {
    for group in 0..<rowTiles &* 2 {
      if columnTiles == 2 {
        multiplyVectors(product, firstRow: group &* 8, wide: true)
      } else {
        multiplyVectors(product, firstRow: group &* 8, wide: false)
      }
    }
  }
}

/// Shapes the tiles for products of this step; nothing without tiles.
@inline(__always)
func beginProducts(step: Int, tiles: Bool) {
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
func endProducts(tiles: Bool) {
  if tiles { ardf_tiles_release() }
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

// MARK: Vectors

/// One row of sums: sixteen or thirty-two columns.
private struct SumRow {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)

  @inline(__always) init() {}

  /// Adds the products of a pair of A, the same for all lanes.
  @inline(__always)
  mutating func add(_ pair: UnsafeRawPointer, _ columns: UnsafeRawPointer, _ second: Int, wide: Bool) {
    let x = Vector(repeating: pair.loadUnaligned(as: Float.self))
    low = ardf_bf16_dot(low, x, columns.loadUnaligned(as: Vector.self))
    if wide { high = ardf_bf16_dot(high, x, (columns + second).loadUnaligned(as: Vector.self)) }
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>, wide: Bool) {
    NNKernelsBF16.store(low, output)
    if wide { NNKernelsBF16.store(high, output + 16) }
  }
}

/// Eight rows from `firstRow` on.
@inline(never)
private func multiplyVectors(_ product: BlockProduct, firstRow: Int, wide: Bool) {
  var (r0, r1, r2, r3) = (SumRow(), SumRow(), SumRow(), SumRow())
  var (r4, r5, r6, r7) = (SumRow(), SumRow(), SumRow(), SumRow())
  var columns = product.columns
  let tileBytes = product.step &* 32
  let stride = product.rowStride
  for segment in 0..<product.segmentCount {
    var row = product.rows + product.segments[segment] + firstRow &* stride
    for _ in 0..<product.steps {
      for _ in 0..<product.step / 2 {
        let fourth = row + 4 &* stride
        r0.add(row, columns, tileBytes, wide: wide)
        r1.add(row + stride, columns, tileBytes, wide: wide)
        r2.add(row + 2 &* stride, columns, tileBytes, wide: wide)
        r3.add(row + 3 &* stride, columns, tileBytes, wide: wide)
        r4.add(fourth, columns, tileBytes, wide: wide)
        r5.add(fourth + stride, columns, tileBytes, wide: wide)
        r6.add(fourth + 2 &* stride, columns, tileBytes, wide: wide)
        r7.add(fourth + 3 &* stride, columns, tileBytes, wide: wide)
        row += 4
        columns += 64
      }
      if wide { columns += tileBytes }
    }
  }
  let output = product.output + firstRow &* 32
  r0.store(output, wide: wide)
  r1.store(output + 32, wide: wide)
  r2.store(output + 64, wide: wide)
  r3.store(output + 96, wide: wide)
  r4.store(output + 128, wide: wide)
  r5.store(output + 160, wide: wide)
  r6.store(output + 192, wide: wide)
  r7.store(output + 224, wide: wide)
}
