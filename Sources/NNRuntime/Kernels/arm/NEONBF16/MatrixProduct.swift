// The product of a block by matrices: `bfmmla` multiplies two rows of four numbers with two columns of four.
//
// A lies in rows and B in pairs, so both are copied, some steps at a time, into the order in which they are multiplied:
// (four numbers, two rows or columns, 4). A block of 32 x 32 has a copied number for every 32 products. Its sums are those
// of sixteen tiles of 8 x 8, sixteen registers each, which meet eight registers of operands.

import CKernelShims

/// Four numbers of two rows, or of two columns, and their products with others.
private typealias Matrix = SIMD4<Float>

/// Fours of steps that are copied at once: the first-level cache holds them, and the sums.
@inline(__always) private var copiedFours: Int { 32 }
/// Bytes of four numbers of all rows, or of all columns.
@inline(__always) private var fourBytes: Int { blockRows &* 8 }

/// The processor's own products: by matrices.
enum OwnProducts: BlockProducts {
  /// Floats of memory that a product works in: sums, and copied rows and columns.
  @inline(__always) static var productRoom: Int { blockRows * panelWidth + 2 * copiedFours * fourBytes / 4 }

  /// Rows of a block that leave nothing over.
  @inline(__always)
  static func wholeBlock(tiles: Bool) -> Int { blockRows }

  /// Nothing has to be prepared for products, or put back.
  @inline(__always)
  static func beginProducts(step: Int, tiles: Bool) {}
  @inline(__always)
  static func endProducts(tiles: Bool) {}

  /// Multiplies the first `rows` rows, at most `blockRows`, with 16 or 32 columns; touches no other rows.
  @inline(__always)
  static func multiplyBlock(
    _ product: BlockProduct, tiles: Bool, rows: Int, columnTiles: Int, _ room: UnsafeMutablePointer<Float>
  ) {
    multiplyByMatrices(product, rows, columnTiles, room, addsToOutput: false)
  }

  /// Adds the weighted values of 32 channels to the output.
  @inline(__always)
  static func addValues(_ product: BlockProduct, _ room: UnsafeMutablePointer<Float>) {
    multiplyByMatrices(product, blockRows, 2, room, addsToOutput: true)
  }
}

/// Copies some steps, multiplies them, and so on to the last; then the sums go to their rows.
@inline(never)
private func multiplyByMatrices(
  _ product: BlockProduct, _ rows: Int, _ columnTiles: Int, _ room: UnsafeMutablePointer<Float>,
  addsToOutput: Bool
) {
  let left = UnsafeMutableRawPointer(room + blockRows &* panelWidth)
  let right = left + copiedFours &* fourBytes
  let tileBytes = product.step &* 32
  let stepFours = (product.step &+ 3) / 4
  var columns = product.columns
  var (fours, isFirst) = (0, true)
  for segment in 0..<product.segmentCount {
    var source = product.rows + product.segments[segment]
    for _ in 0..<product.steps {
      var four = 0
      while four < stepFours {
        let count = min(copiedFours &- fours, stepFours &- four)
        let numbers = min(4 &* count, product.step &- 4 &* four)
        copyLeft(source + 8 &* four, product.rowStride, rows, numbers, left + fours &* fourBytes)
        for tile in 0..<columnTiles {
          copyRight(
            columns + (tile &* tileBytes &+ four &* 128), numbers, right + (fours &* fourBytes &+ tile &* 128)
          )
        }
        (fours, four) = (fours &+ count, four &+ count)
        if fours == copiedFours {
          multiplyCopies(left, right, fours, rows, columnTiles, room, isFirst: isFirst)
          (fours, isFirst) = (0, false)
        }
      }
      source += 2 &* product.step
      columns += columnTiles &* tileBytes
    }
  }
  if fours > 0 { multiplyCopies(left, right, fours, rows, columnTiles, room, isFirst: isFirst) }
  storeSums(room, product.output, rows, columnTiles, addsToOutput)
}

/// Copies `numbers` numbers, an even count, of each row: four of two rows lie together, zeros after the last.
@inline(never)
private func copyLeft(
  _ source: UnsafeRawPointer, _ stride: Int, _ rows: Int, _ numbers: Int, _ target: UnsafeMutableRawPointer
) {
  // Whole tiles of eight rows are multiplied.
  for row in 0..<(rows &+ 7) / 8 &* 8 {
    let target = target + row &* 8
    let source = source + row &* stride
    let isThere = row < rows
    for four in 0..<numbers / 4 {
      let bits = isThere ? source.loadUnaligned(fromByteOffset: 8 &* four, as: UInt64.self) : 0
      target.storeBytes(of: bits, toByteOffset: four &* fourBytes, as: UInt64.self)
    }
    if numbers % 4 != 0 {
      let four = numbers / 4
      let bits = isThere ? source.loadUnaligned(fromByteOffset: 8 &* four, as: UInt32.self) : 0
      target.storeBytes(of: UInt64(bits), toByteOffset: four &* fourBytes, as: UInt64.self)
    }
  }
}

/// Copies `numbers` numbers, an even count, of sixteen columns in pairs: four of two columns lie together,
/// zeros after the last.
@inline(never)
private func copyRight(_ source: UnsafeRawPointer, _ numbers: Int, _ target: UnsafeMutableRawPointer) {
  typealias Words = SIMD4<UInt32>
  for four in 0..<(numbers &+ 3) / 4 {
    let pairs = source + four &* 128
    let fours = target + four &* fourBytes
    let isWhole = 4 &* four &+ 2 < numbers
    for column in 0..<4 {
      let even = pairs.loadUnaligned(fromByteOffset: 16 &* column, as: Words.self)
      let odd =
        isWhole
        ? pairs.loadUnaligned(fromByteOffset: 64 &+ 16 &* column, as: Words.self) : Words(repeating: 0)
      fours.storeBytes(
        of: Words(even.x, odd.x, even.y, odd.y), toByteOffset: 32 &* column, as: Words.self)
      fours.storeBytes(
        of: Words(even.z, odd.z, even.w, odd.w), toByteOffset: 32 &* column &+ 16, as: Words.self)
    }
  }
}

/// Multiplies what was copied, tile by tile; zeros make the count of fours even.
@inline(__always)
private func multiplyCopies(
  _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer, _ fours: Int, _ rows: Int,
  _ columnTiles: Int, _ sums: UnsafeMutablePointer<Float>, isFirst: Bool
) {
  let even = (fours &+ 1) & ~1
  if even > fours {
    for offset in stride(from: fours &* fourBytes, to: even &* fourBytes, by: 16) {
      storeQuad(Matrix(repeating: 0), left, offset)
      storeQuad(Matrix(repeating: 0), right, offset)
    }
  }
  for row in 0..<(rows &+ 7) / 8 {
    for column in 0..<2 &* columnTiles {
      multiplyMatrices(
        left + row &* 64, right + column &* 64, even, sums + (row &* 4 &+ column) &* 64, isFirst: isFirst)
    }
  }
}

/// The sums of a tile: four times two rows by four times two columns.
private struct TileSums {
  var s00, s01, s02, s03, s10, s11, s12, s13: Matrix
  var s20, s21, s22, s23, s30, s31, s32, s33: Matrix

  @inline(__always) init(from sums: UnsafePointer<Float>) {
    (s00, s01, s02, s03) = (loadQuad(sums, 0), loadQuad(sums, 16), loadQuad(sums, 32), loadQuad(sums, 48))
    (s10, s11, s12, s13) = (loadQuad(sums, 64), loadQuad(sums, 80), loadQuad(sums, 96), loadQuad(sums, 112))
    (s20, s21, s22, s23) = (
      loadQuad(sums, 128), loadQuad(sums, 144), loadQuad(sums, 160), loadQuad(sums, 176)
    )
    (s30, s31, s32, s33) = (
      loadQuad(sums, 192), loadQuad(sums, 208), loadQuad(sums, 224), loadQuad(sums, 240)
    )
  }

  @inline(__always) func store(_ sums: UnsafeMutablePointer<Float>) {
    storeRow(s00, s01, s02, s03, sums)
    storeRow(s10, s11, s12, s13, sums + 16)
    storeRow(s20, s21, s22, s23, sums + 32)
    storeRow(s30, s31, s32, s33, sums + 48)
  }

  @inline(__always) private func storeRow(
    _ a: Matrix, _ b: Matrix, _ c: Matrix, _ d: Matrix, _ target: UnsafeMutablePointer<Float>
  ) {
    storeQuad(a, target, 0)
    storeQuad(b, target, 16)
    storeQuad(c, target, 32)
    storeQuad(d, target, 48)
  }

  /// Adds the products of four numbers of every row and column.
  @inline(__always) mutating func add(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) {
    let (a0, a1, a2, a3) = (loadQuad(left, 0), loadQuad(left, 16), loadQuad(left, 32), loadQuad(left, 48))
    let (b0, b1) = (loadQuad(right, 0), loadQuad(right, 16))
    s00 = ardf_bf16_matrix(s00, a0, b0)
    s10 = ardf_bf16_matrix(s10, a1, b0)
    s20 = ardf_bf16_matrix(s20, a2, b0)
    s30 = ardf_bf16_matrix(s30, a3, b0)
    s01 = ardf_bf16_matrix(s01, a0, b1)
    s11 = ardf_bf16_matrix(s11, a1, b1)
    s21 = ardf_bf16_matrix(s21, a2, b1)
    s31 = ardf_bf16_matrix(s31, a3, b1)
    let (b2, b3) = (loadQuad(right, 32), loadQuad(right, 48))
    s02 = ardf_bf16_matrix(s02, a0, b2)
    s12 = ardf_bf16_matrix(s12, a1, b2)
    s22 = ardf_bf16_matrix(s22, a2, b2)
    s32 = ardf_bf16_matrix(s32, a3, b2)
    s03 = ardf_bf16_matrix(s03, a0, b3)
    s13 = ardf_bf16_matrix(s13, a1, b3)
    s23 = ardf_bf16_matrix(s23, a2, b3)
    s33 = ardf_bf16_matrix(s33, a3, b3)
  }
}

/// Multiplies a tile: two fours at a time, of which there is an even count.
@inline(never)
private func multiplyMatrices(
  _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ fours: Int, _ memory: UnsafeMutablePointer<Float>,
  isFirst: Bool
) {
  // A loop whose sums begin in memory, zeros too, has one beginning.
  if isFirst { for index in 0..<16 { storeQuad(Matrix(repeating: 0), memory + 4 &* index, 0) } }
  var sums = TileSums(from: memory)
  var (left, right) = (left, right)
  let end = left + fours &* fourBytes
  repeat {
    sums.add(left, right)
    sums.add(left + fourBytes, right + fourBytes)
    left += 2 &* fourBytes
    right += 2 &* fourBytes
  } while left < end
  sums.store(memory)
}

/// The sums of the tiles as rows of the output, or added to them.
@inline(never)
private func storeSums(
  _ sums: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ rows: Int, _ columnTiles: Int,
  _ adds: Bool
) {
  for pair in 0..<(rows &+ 1) / 2 {
    for four in 0..<4 &* columnTiles {
      // Two matrices side by side are two rows of four columns.
      let index: Int = pair / 4 &* 4 &+ four / 2
      let matrix: Int = pair % 4 &* 4 &+ four % 2 &* 2
      let tile = sums + (index &* 64 &+ matrix &* 4)
      let (near, far) = (loadQuad(tile, 0), loadQuad(tile, 16))
      var upper = Quad(lowHalf: near.lowHalf, highHalf: far.lowHalf)
      var lower = Quad(lowHalf: near.highHalf, highHalf: far.highHalf)
      let target = UnsafeMutableRawPointer(output + (2 &* pair &* panelWidth &+ 4 &* four))
      let below = panelWidth &* 4
      if adds {
        upper += loadQuad(target, 0)
        if 2 &* pair &+ 1 < rows { lower += loadQuad(target, below) }
      }
      storeQuad(upper, target, 0)
      if 2 &* pair &+ 1 < rows { storeQuad(lower, target, below) }
    }
  }
}

// MARK: Attention

extension OwnProducts {
  /// The weights of a block of keys, and their sums: scores of 32 keys at a time become weights.
  @inline(never)
  static func weighBounded(_ panel: QueryPanel, _ keys: KeyBlock, of attention: RoundedAttention) {
    let (scratch, layout, segment) = (attention.scratch, attention.layout, attention.noOffset())
    let scores = scratch + layout.product
    let factor = Vector(repeating: attention.factor)
    let zero = Vector(repeating: 0)
    for part in 0..<(keys.count &+ 31) / 32 {
      multiplyBlock(
        (
          rows: UnsafeRawPointer(scratch + layout.keyCopy + part &* 16 &* layout.keyWidth),
          rowStride: layout.keyWidth &* 2, segments: segment, segmentCount: 1, steps: 1,
          step: layout.keyWidth, columns: UnsafeRawPointer(panel.state), output: scores, readsAhead: false
        ), tiles: false, rows: blockRows, columnTiles: 2, scratch + layout.room)
      let used = keys.count &- part &* 32
      for lane in stride(from: 0, to: blockRows, by: 16) {
        let softmax = attention.softmax(panel, lane)
        let shift = zero - load(softmax.maxima)
        var total = load(softmax.sums)
        let target = scratch + (layout.weights &+ part &* 512 &+ lane &* 16)
        for pair in 0..<16 {
          let row = scores + (pair &* 2 &* panelWidth &+ lane)
          let even =
            2 &* pair < used ? roughPowerOfTwo(multiplyAdd(load(row), factor, shift)) : zero
          let odd =
            2 &* pair &+ 1 < used
            ? roughPowerOfTwo(multiplyAdd(load(row + panelWidth), factor, shift)) : zero
          ardf_bf16_store_pairs(target + pair &* 16, even, odd)
          total += even
          total += odd
        }
        store(total, softmax.sums)
      }
    }
  }
}
