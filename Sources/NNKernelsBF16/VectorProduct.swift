// Products with vectors: some rows of A at a time, their sums in registers from the first product to the last.
//
// Rows are composed by type (`Stack`), so that every row count is its own straight-line inner loop. The types are private:
// the value witnesses of others would be functions under names that other modules share.

import CKernelShims

/// Multiplies the `count` rows from `first` on, at most 14, with 16 or 32 columns.
@inline(__always)
func multiplyVectors(_ product: BlockProduct, _ first: Int, _ count: Int, wide: Bool) {
  if wide {
    multiplyRows(WideRow<RoundedPairs>.self, product, first, count)
  } else {
    multiplyRows(NarrowRow<RoundedPairs>.self, product, first, count)
  }
}

/// The same for pairs of 16-bit integers (IntegerProduct.swift), with sums as floats.
@inline(__always)
func multiplyIntegerVectors(_ product: BlockProduct, _ first: Int, _ count: Int, wide: Bool) {
  if wide {
    multiplyRows(WideRow<IntegerPairs>.self, product, first, count)
  } else {
    multiplyRows(NarrowRow<IntegerPairs>.self, product, first, count)
  }
}

/// Some rows of sums.
///
/// Every row loads the columns for itself; the compiler keeps one load for all.
private protocol SumGroup {
  static var count: Int { get }
  /// Thirty-two columns, not sixteen.
  static var isWide: Bool { get }
  init()
  /// Sums that go on from those in memory.
  init(from sums: UnsafePointer<Float>)
  /// Adds the products of a pair of every row, `stride` bytes apart, with columns that begin `second` bytes apart.
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int)
  func store(_ output: UnsafeMutablePointer<Float>)
  /// Brings the cache line of every row near.
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int)
}

/// What the pairs of a product are.
private protocol PairArithmetic {
  /// The sum, and the products of both numbers of every pair.
  static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector
  /// What was summed up, as floats.
  static func floats(_ sum: Vector) -> Vector
}

/// Numbers of bf16, with sums in floats.
private enum RoundedPairs: PairArithmetic {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_bf16_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { sum }
}

/// Integers of 16 bits, with sums of 32 whose bits lie in floats.
private enum IntegerPairs: PairArithmetic {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_int16_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { ardf_int32_floats(sum) }
}

/// One row of sixteen columns.
private struct NarrowRow<Pairs: PairArithmetic>: SumGroup {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { false }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>) { sum = load(sums) }

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    sum = Pairs.dot(sum, pair, columns.loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) { NNKernelsBF16.store(Pairs.floats(sum), output) }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// One row of thirty-two columns.
private struct WideRow<Pairs: PairArithmetic>: SumGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) static var isWide: Bool { true }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>) {
    (low, high) = (load(sums), load(sums + panelWidth / 2))
  }

  @inline(__always)
  mutating func add(_ row: UnsafeRawPointer, _ stride: Int, _ columns: UnsafeRawPointer, _ second: Int) {
    let pair = Vector(repeating: row.loadUnaligned(as: Float.self))
    low = Pairs.dot(low, pair, columns.loadUnaligned(as: Vector.self))
    high = Pairs.dot(high, pair, (columns + second).loadUnaligned(as: Vector.self))
  }

  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>) {
    NNKernelsBF16.store(Pairs.floats(low), output)
    NNKernelsBF16.store(Pairs.floats(high), output + panelWidth / 2)
  }

  @inline(__always)
  static func prefetch(_ row: UnsafeRawPointer, _ stride: Int) { ardf_prefetch_to_read(row) }
}

/// Two groups, one above the other.
private struct Stack<Upper: SumGroup, Lower: SumGroup>: SumGroup {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count &+ Lower.count }
  @inline(__always) static var isWide: Bool { Upper.isWide }
  @inline(__always) init() {}
  @inline(__always) init(from sums: UnsafePointer<Float>) {
    upper = Upper(from: sums)
    lower = Lower(from: sums + Upper.count &* panelWidth)
  }

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

private typealias Rows2<Row: SumGroup> = Stack<Row, Row>
private typealias Rows3<Row: SumGroup> = Stack<Rows2<Row>, Row>
private typealias Rows4<Row: SumGroup> = Stack<Rows2<Row>, Rows2<Row>>
private typealias Rows5<Row: SumGroup> = Stack<Rows4<Row>, Row>
private typealias Rows6<Row: SumGroup> = Stack<Rows4<Row>, Rows2<Row>>
private typealias Rows7<Row: SumGroup> = Stack<Rows4<Row>, Rows3<Row>>
private typealias Rows8<Row: SumGroup> = Stack<Rows4<Row>, Rows4<Row>>
private typealias Rows9<Row: SumGroup> = Stack<Rows8<Row>, Row>
private typealias Rows10<Row: SumGroup> = Stack<Rows8<Row>, Rows2<Row>>
private typealias Rows11<Row: SumGroup> = Stack<Rows8<Row>, Rows3<Row>>
private typealias Rows12<Row: SumGroup> = Stack<Rows8<Row>, Rows4<Row>>
private typealias Rows13<Row: SumGroup> = Stack<Rows8<Row>, Rows5<Row>>
private typealias Rows14<Row: SumGroup> = Stack<Rows8<Row>, Rows6<Row>>

/// The `count` rows from `first` on.
@inline(__always)
private func multiplyRows<Row: SumGroup>(_: Row.Type, _ product: BlockProduct, _ first: Int, _ count: Int) {
  switch count {
  case 1: multiplyGroup(Row.self, product, first)
  case 2: multiplyGroup(Rows2<Row>.self, product, first)
  case 3: multiplyGroup(Rows3<Row>.self, product, first)
  case 4: multiplyGroup(Rows4<Row>.self, product, first)
  case 5: multiplyGroup(Rows5<Row>.self, product, first)
  case 6: multiplyGroup(Rows6<Row>.self, product, first)
  case 7: multiplyGroup(Rows7<Row>.self, product, first)
  case 8: multiplyGroup(Rows8<Row>.self, product, first)
  case 9: multiplyGroup(Rows9<Row>.self, product, first)
  case 10: multiplyGroup(Rows10<Row>.self, product, first)
  case 11: multiplyGroup(Rows11<Row>.self, product, first)
  case 12: multiplyGroup(Rows12<Row>.self, product, first)
  case 13: multiplyGroup(Rows13<Row>.self, product, first)
  default: multiplyGroup(Rows14<Row>.self, product, first)
  }
}

/// Bytes ahead that columns are brought near: where a page ends, the processor's own foresight does.
@inline(__always) private var page: Int { 4096 }

/// The rows of a group, from `first` on.
@inline(never)
private func multiplyGroup<Rows: SumGroup>(_: Rows.Type, _ product: BlockProduct, _ first: Int) {
  addProducts(to: Rows(), product, first).store(product.output + first &* panelWidth)
}

/// The product of the rows of a group, from `first` on, added to `start`.
///
/// The loops run at least once: the sums of loops that might not are copied to memory behind each.
@inline(__always)
private func addProducts<Rows: SumGroup>(to start: Rows, _ product: BlockProduct, _ first: Int) -> Rows {
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

// MARK: Attention

/// The weights of a block of keys, and their sums.
///
/// Products and powers keep different parts of the processor busy: while eight keys are multiplied, the scores of the
/// eight before become weights. The first eight have none before: their hidden scores' weights are overwritten.
@inline(never)
func weighBounded(
  _ layout: RoundedAttentionScratch, _ keys: Int, _ factor: Float, _ block: UnsafeMutablePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let count = EightRows.count
  let scores = scratch + layout.product
  let queries = UnsafeRawPointer(block)
  let factor = Vector(repeating: factor)
  var shift = FloatRow(from: block + layout.offsets)
  shift.low = Vector(repeating: 0) - shift.low
  shift.high = Vector(repeating: 0) - shift.high
  var total = FloatRow(from: block + layout.sums)
  hide(from: 0)
  let width = layout.keyWidth &* 2
  let tile = layout.keyWidth &* 32
  var target = scratch + layout.weights
  for key in stride(from: 0, to: (keys &+ 31) / 32 &* 32, by: count) {
    var rows = UnsafeRawPointer(scratch + layout.keyCopy) + key &* width
    var columns = queries
    var sums = EightRows()
    for pair in 0..<4 {
      let end = columns + tile / 4
      repeat {
        sums.add(rows, width, columns, tile)
        rows += 4
        columns += 64
      } while columns < end
      weigh(TwoRows(from: scores + pair &* 64), target + pair &* 16, factor, shift, &total)
    }
    sums.store(scores)
    hide(from: keys &- key)
    target = scratch + layout.weights + (key / 32 &* 512 &+ key % 32 &* 8)
  }
  for pair in 0..<4 {
    weigh(TwoRows(from: scores + pair &* 64), target + pair &* 16, factor, shift, &total)
  }
  total.store(block + layout.sums)

  /// Gives the scores of a group's keys from `first` on no weight.
  @inline(__always) func hide(from first: Int) {
    var key = max(first, 0)
    while key < count {
      store(Vector(repeating: hidden), scores + key &* panelWidth)
      store(Vector(repeating: hidden), scores + (key &* panelWidth &+ 16))
      key &+= 1
    }
  }
}

/// Weights of two keys.
@inline(__always)
private func weigh(
  _ scores: TwoRows, _ weights: UnsafeMutablePointer<Float>, _ factor: Vector, _ shift: FloatRow,
  _ total: inout FloatRow
) {
  let even0 = roughPowerOfTwo(multiplyAdd(scores.upper.low, factor, shift.low))
  let odd0 = roughPowerOfTwo(multiplyAdd(scores.lower.low, factor, shift.low))
  ardf_bf16_store_pairs(weights, even0, odd0)
  total.low += even0
  total.low += odd0
  let even1 = roughPowerOfTwo(multiplyAdd(scores.upper.high, factor, shift.high))
  let odd1 = roughPowerOfTwo(multiplyAdd(scores.lower.high, factor, shift.high))
  ardf_bf16_store_pairs(weights + 256, even1, odd1)
  total.high += even1
  total.high += odd1
}

/// Adds the weighted values of 32 channels to the output.
@inline(never)
func addValues(_ product: BlockProduct, _ room: UnsafeMutablePointer<Float>) {
  for row in stride(from: 0, to: blockRows, by: EightRows.count) {
    let output = product.output + row &* panelWidth
    addProducts(to: EightRows(from: output), product, row).store(output)
  }
}

private typealias FloatRow = WideRow<RoundedPairs>
private typealias TwoRows = Rows2<FloatRow>
private typealias EightRows = Rows8<FloatRow>
