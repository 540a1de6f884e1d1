// The product of a block: 32 rows of A, bf16 where they lie, times a panel of B, with sums in floats.
//
// B is packed: for every step of the inner dimension one or two tiles, each (step / 2, 16 columns, 2), the layout
// that both the tile and the vector instructions multiply pairs in. A tile's row and a broadcast pair are the
// same bytes of A, so that neither variant ever rearranges it.

import CKernelShims

/// C (rows x columns, 32 apart) = sum over segments and steps of A * B.
///
/// Row r of segment s starts `segments[s] + r * rowStride` bytes behind `rows`; it is `steps` pieces of `step`
/// numbers, even and at most 32. Where `readsAhead`, vectors bring the rows behind theirs near meanwhile.
typealias BlockProduct = (
  rows: UnsafeRawPointer, rowStride: Int, segments: UnsafePointer<Int>, segmentCount: Int, steps: Int,
  step: Int, columns: UnsafeRawPointer, output: UnsafeMutablePointer<Float>, readsAhead: Bool
)

/// Most rows of a block, and columns of a panel.
@inline(__always) var blockRows: Int { 32 }
@inline(__always) var panelWidth: Int { 32 }

/// Rows of a block that leave nothing over: two tiles, or two groups of vectors.
@inline(__always)
func wholeBlock(tiles: Bool) -> Int { tiles ? blockRows : 28 }

/// Multiplies the first `rows` rows, at most `blockRows`, with 16 or 32 columns.
///
/// The rows behind them that fill the last tile or group are read, and their sums written, too.
@inline(__always)
func multiplyBlock(_ product: BlockProduct, tiles: Bool, rows: Int, columnTiles: Int) {
  if tiles {
    switch (rows > 16 ? 2 : 1, columnTiles) {
    case (2, 2): multiplyTiles2x2(product)
    case (2, _): multiplyTiles2x1(product)
    case (_, 2): multiplyTiles1x2(product)
    default: multiplyTiles1x1(product)
    }
  } else {
    var first = 0
    while first < rows {
      // Eight rows are no slower where A and B are near; fourteen read B less often.
      let isShort = rows &- first <= EightRows.count || rows == blockRows
      switch (isShort, columnTiles) {
      case (true, 2): multiplyVectors(EightRows.self, product, first, wide: true)
      case (true, _): multiplyVectors(EightRows.self, product, first, wide: false)
      case (false, 2): multiplyVectors(FourteenRows.self, product, first, wide: true)
      case (false, _): multiplyVectors(FourteenRows.self, product, first, wide: false)
      }
      first &+= isShort ? EightRows.count : FourteenRows.count
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

/// Some rows of sums: sixteen or thirty-two columns.
///
/// Every row loads the columns for itself; the compiler keeps one load for all.
protocol SumGroup {
  static var count: Int { get }
  init()
  /// Sums that start at a number a row.
  init(startingAt starts: UnsafePointer<Float>)
  /// Sums that go on from those of thirty-two columns in memory.
  init(from sums: UnsafePointer<Float>)
  /// Adds the products of the pair of A that lies `offset` bytes behind the start of each row.
  mutating func add(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ columns: UnsafeRawPointer, _ second: Int,
    wide: Bool)
  /// The same for rows that start `stride` bytes apart, and thirty-two columns.
  mutating func add(
    _ row: UnsafeRawPointer, every stride: Int, _ columns: UnsafeRawPointer, _ second: Int)
  func store(_ output: UnsafeMutablePointer<Float>, wide: Bool)
}

/// One row.
struct SumRow: SumGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) init(startingAt starts: UnsafePointer<Float>) {
    low = Vector(repeating: starts[0])
    high = low
  }
  @inline(__always) init(from sums: UnsafePointer<Float>) {
    low = load(sums)
    high = load(sums + panelWidth / 2)
  }

  @inline(__always)
  mutating func add(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ columns: UnsafeRawPointer, _ second: Int,
    wide: Bool
  ) {
    let pair = Vector(repeating: (rows[0] + offset).loadUnaligned(as: Float.self))
    low = ardf_bf16_dot(low, pair, columns.loadUnaligned(as: Vector.self))
    if wide { high = ardf_bf16_dot(high, pair, (columns + second).loadUnaligned(as: Vector.self)) }
  }

  @inline(__always)
  mutating func add(
    _ row: UnsafeRawPointer, every stride: Int, _ columns: UnsafeRawPointer, _ second: Int
  ) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    low = ardf_bf16_dot(low, pair, columns.loadUnaligned(as: Vector.self))
    high = ardf_bf16_dot(high, pair, (columns + second).loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>, wide: Bool) {
    NNKernelsBF16.store(low, output)
    if wide { NNKernelsBF16.store(high, output + panelWidth / 2) }
  }
}

/// Two groups, one above the other.
struct Stack<Upper: SumGroup, Lower: SumGroup>: SumGroup {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) init() {}
  @inline(__always) init(startingAt starts: UnsafePointer<Float>) {
    upper = Upper(startingAt: starts)
    lower = Lower(startingAt: starts + Upper.count)
  }
  @inline(__always) init(from sums: UnsafePointer<Float>) {
    upper = Upper(from: sums)
    lower = Lower(from: sums + Upper.count &* panelWidth)
  }

  @inline(__always)
  mutating func add(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ columns: UnsafeRawPointer, _ second: Int,
    wide: Bool
  ) {
    upper.add(rows, offset, columns, second, wide: wide)
    lower.add(rows + Upper.count, offset, columns, second, wide: wide)
  }

  @inline(__always)
  mutating func add(
    _ row: UnsafeRawPointer, every stride: Int, _ columns: UnsafeRawPointer, _ second: Int
  ) {
    upper.add(row, every: stride, columns, second)
    lower.add(row + Upper.count &* stride, every: stride, columns, second)
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>, wide: Bool) {
    upper.store(output, wide: wide)
    lower.store(output + Upper.count &* panelWidth, wide: wide)
  }
}

typealias TwoRows = Stack<SumRow, SumRow>
typealias FourRows = Stack<TwoRows, TwoRows>
typealias EightRows = Stack<FourRows, FourRows>
/// 28 registers of sums, two of B and one of A.
private typealias FourteenRows = Stack<EightRows, Stack<FourRows, TwoRows>>

/// Bytes ahead that columns are brought near: where a page ends, the processor's own foresight does.
@inline(__always) private var page: Int { 4096 }

/// The rows of a group from `first` on.
@inline(__always)
private func multiplyVectors<Rows: SumGroup>(
  _: Rows.Type, _ product: BlockProduct, _ first: Int, wide: Bool
) {
  addProducts(to: Rows(), product, first, wide: wide).store(product.output + first &* panelWidth, wide: wide)
}

/// The product of the rows of a group from `first` on, added to `start`.
@inline(__always)
func addProducts<Rows: SumGroup>(to start: Rows, _ product: BlockProduct, _ first: Int, wide: Bool) -> Rows {
  withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: Rows.count) { table in
    var sums = start
    guard let rows = table.baseAddress else { return sums }
    for row in 0..<Rows.count { rows[row] = product.rows + (first &+ row) &* product.rowStride }
    var columns = product.columns
    let tileBytes = product.step &* 32
    let ahead = Rows.count &* product.rowStride
    for segment in 0..<product.segmentCount {
      var offset = product.segments[segment]
      for _ in 0..<product.steps {
        if product.readsAhead {
          for row in 0..<Rows.count { ardf_prefetch_to_read(rows[row] + (offset &+ ahead)) }
        }
        for _ in 0..<product.step / 2 {
          ardf_prefetch_to_read(columns + page)
          if wide { ardf_prefetch_to_read(columns + (page &+ tileBytes)) }
          sums.add(UnsafePointer(rows), offset, columns, tileBytes, wide: wide)
          offset &+= 4
          columns += 64
        }
        if wide { columns += tileBytes }
      }
    }
    return sums
  }
}
