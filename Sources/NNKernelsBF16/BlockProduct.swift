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

/// Most rows whose sums the vector registers hold: 28 sums, two registers of B and one of A.
@inline(__always) private var mostVectorRows: Int { 14 }

/// Rows of a block that leave nothing over: two tiles, or two groups of vectors.
@inline(__always)
func wholeBlock(tiles: Bool) -> Int { tiles ? blockRows : 2 &* mostVectorRows }

/// Multiplies the first `rows` rows, at most `blockRows`, with 16 or 32 columns.
///
/// The rows behind them that fill the last tile are read, and their sums written, too; vectors touch no other rows.
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
    // Eight rows are no slower where A and B are near; up to fourteen read B less often.
    let most = rows == blockRows ? 8 : mostVectorRows
    let groups = (rows &+ most &- 1) / most
    for group in 0..<groups {
      let first = rows &* group / groups
      let count = rows &* (group &+ 1) / groups &- first
      if columnTiles == 2 {
        multiplyRows(WideRow.self, product, first, count)
      } else {
        multiplyRows(NarrowRow.self, product, first, count)
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

/// Some rows of sums.
///
/// Every row loads the columns for itself; the compiler keeps one load for all.
protocol SumGroup {
  static var count: Int { get }
  /// Thirty-two columns, not sixteen.
  static var isWide: Bool { get }
  init()
  /// Adds the products of a pair of every row, `stride` bytes apart, with columns that begin `second` bytes apart.
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int)
  func store(_ output: UnsafeMutablePointer<Float>)
  /// Brings the cache line of every row near.
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int)
}

/// One row of sixteen columns.
private struct NarrowRow: SumGroup {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { false }
  @inline(__always) init() {}

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    sum = ardf_bf16_dot(sum, pair, columns.loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) { NNKernelsBF16.store(sum, output) }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// One row of thirty-two columns.
struct WideRow: SumGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { true }
  @inline(__always) init() {}

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    low = ardf_bf16_dot(low, pair, columns.loadUnaligned(as: Vector.self))
    high = ardf_bf16_dot(high, pair, (columns + second).loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) {
    NNKernelsBF16.store(low, output)
    NNKernelsBF16.store(high, output + panelWidth / 2)
  }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// Two groups, one above the other.
struct Stack<Upper: SumGroup, Lower: SumGroup>: SumGroup {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) static var isWide: Bool { Upper.isWide }
  @inline(__always) init() {}

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    upper.add(row, stride, columns, second)
    lower.add(row + Upper.count &* stride, stride, columns, second)
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) {
    upper.store(output)
    lower.store(output + Upper.count &* panelWidth)
  }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) {
    Upper.prefetch(row, stride)
    Lower.prefetch(row + Upper.count &* stride, stride)
  }
}

typealias Rows2<Row: SumGroup> = Stack<Row, Row>
private typealias Rows3<Row: SumGroup> = Stack<Rows2<Row>, Row>
typealias Rows4<Row: SumGroup> = Stack<Rows2<Row>, Rows2<Row>>
private typealias Rows5<Row: SumGroup> = Stack<Rows4<Row>, Row>
private typealias Rows6<Row: SumGroup> = Stack<Rows4<Row>, Rows2<Row>>
private typealias Rows7<Row: SumGroup> = Stack<Rows4<Row>, Rows3<Row>>
typealias Rows8<Row: SumGroup> = Stack<Rows4<Row>, Rows4<Row>>
private typealias Rows9<Row: SumGroup> = Stack<Rows8<Row>, Row>
private typealias Rows10<Row: SumGroup> = Stack<Rows8<Row>, Rows2<Row>>
private typealias Rows11<Row: SumGroup> = Stack<Rows8<Row>, Rows3<Row>>
private typealias Rows12<Row: SumGroup> = Stack<Rows8<Row>, Rows4<Row>>
private typealias Rows13<Row: SumGroup> = Stack<Rows8<Row>, Rows5<Row>>
private typealias Rows14<Row: SumGroup> = Stack<Rows8<Row>, Rows6<Row>>

/// The `count` rows from `first` on.
@inline(__always)
func multiplyRows<Row: SumGroup>(_: Row.Type, _ product: BlockProduct, _ first: Int, _ count: Int) {
  switch count {
  case 1: multiplyVectors(Row.self, product, first)
  case 2: multiplyVectors(Rows2<Row>.self, product, first)
  case 3: multiplyVectors(Rows3<Row>.self, product, first)
  case 4: multiplyVectors(Rows4<Row>.self, product, first)
  case 5: multiplyVectors(Rows5<Row>.self, product, first)
  case 6: multiplyVectors(Rows6<Row>.self, product, first)
  case 7: multiplyVectors(Rows7<Row>.self, product, first)
  case 8: multiplyVectors(Rows8<Row>.self, product, first)
  case 9: multiplyVectors(Rows9<Row>.self, product, first)
  case 10: multiplyVectors(Rows10<Row>.self, product, first)
  case 11: multiplyVectors(Rows11<Row>.self, product, first)
  case 12: multiplyVectors(Rows12<Row>.self, product, first)
  case 13: multiplyVectors(Rows13<Row>.self, product, first)
  default: multiplyVectors(Rows14<Row>.self, product, first)
  }
}

/// Bytes ahead that columns are brought near: where a page ends, the processor's own foresight does.
@inline(__always) private var page: Int { 4096 }

/// The rows of a group, from `first` on.
@inline(never)
private func multiplyVectors<Rows: SumGroup>(_: Rows.Type, _ product: BlockProduct, _ first: Int) {
  addProducts(to: Rows(), product, first).store(product.output + first &* panelWidth)
}

/// The product of the rows of a group, from `first` on, added to `start`.
///
/// The loops run at least once: the sums of loops that might not are copied to memory behind each.
@inline(__always)
func addProducts<Rows: SumGroup>(to start: Rows, _ product: BlockProduct, _ first: Int) -> Rows {
  var sums = start
  let stride = product.rowStride
  let rows = product.rows + first &* stride
  let tileBytes = product.step &* 32
  var columns = product.columns
  var segment = 0
  repeat {
    var row = rows + product.segments[segment]
    var step = 0
    repeat {
      if product.readsAhead { Rows.prefetch(row + Rows.count &* stride, stride) }
      let end = columns + tileBytes
      repeat {
        ardf_prefetch_to_read(columns + page)
        if Rows.isWide { ardf_prefetch_to_read(columns + (page &+ tileBytes)) }
        sums.add(row, stride, columns, tileBytes)
        row += 4
        columns += 64
      } while columns < end
      if Rows.isWide { columns += tileBytes }
      step &+= 1
    } while step < product.steps
    segment &+= 1
  } while segment < product.segmentCount
  return sums
}
