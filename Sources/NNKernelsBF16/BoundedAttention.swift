// Attention without maxima, for vectors: where scores are known to lie in a small range, keys are read once, and become
// weights while the next are multiplied.
//
// With c the mean of some keys, a query's largest score is at least q c, and a score of key k is at most
//   u = q c + |q| max |k - c|.
// The first block of keys sets the query's offset m in the middle of the two, and as long as u - m is at most `limit`,
//   p = 2^(s - m),  l' = l + sum p,  o' = o + p v
// neither overflow nor lose the largest weight, 2^-limit at the least. bf16 is as exact at any scale.

import CKernelShims

/// How far a score may exceed its offset: 2^80, times keys and values, is far from 2^127, and 2^-80 from 2^-126.
@inline(__always) private var limit: Float { 80 }

/// A score whose weight is zero, and the least factor on scores that makes it so.
@inline(__always) var hidden: Float { -1e30 }
@inline(__always) var leastFactor: Float { 1e-6 }

/// The largest distance of the copied keys from the centre.
@inline(__always)
func farthest(_ layout: AttentionScratch, _ keys: Int, _ scratch: UnsafeMutablePointer<Float>) -> Float {
  let rows = UnsafeRawPointer(scratch + layout.keyCopy)
  let zero = Vector(repeating: 0)
  var largest = zero
  for first in stride(from: 0, to: keys, by: 16) {
    let squares = scratch + layout.product
    for key in first..<first &+ 16 {
      var sum = zero
      if key < keys {
        for channel in stride(from: 0, to: layout.keyWidth, by: 16) {
          let entries = load(rows + 2 &* (key &* layout.keyWidth &+ channel), .bfloat16)
          let distance = entries - load(scratch + layout.centre + channel)
          sum = multiplyAdd(distance, distance, sum)
        }
      }
      store(sum, squares + (key &- first) &* 16)
    }
    var sum = zero
    transpose({ load(squares + $0 &* 16) }, { sum += $1 })
    largest = larger(sum, largest)
  }
  return maximum(largest).squareRoot()
}

/// Of every query the score of the centre, and what a key at a distance of 1 from it may add.
@inline(__always)
func placeQueries(
  _ layout: AttentionScratch, _ factor: Float, _ block: UnsafeMutablePointer<Float>,
  _ centre: UnsafePointer<Float>
) {
  for half in 0..<2 {
    let zero = Vector(repeating: 0)
    var (middle, square) = (zero, zero)
    for pair in 0..<layout.keyWidth / 2 {
      let entries = load(block + (half &* layout.keyWidth / 2 &+ pair) &* 16)
      middle = ardf_bf16_dot(middle, entries, Vector(repeating: centre[pair]))
      square = ardf_bf16_dot(square, entries, entries)
    }
    let lane = half &* 16
    store(middle * Vector(repeating: factor), block + layout.middles + lane)
    store(square, block + layout.reaches + lane)
    for query in lane..<lane &+ 16 {
      block[layout.reaches &+ query] = abs(factor) * block[layout.reaches &+ query].squareRoot()
    }
  }
}

/// Whether no score of a block of keys, none farther than `radius` from the centre, exceeds its offset by too much.
///
/// The first block of keys sets the offsets if so.
@inline(__always)
func isBounded(
  _ layout: AttentionScratch, _ block: UnsafeMutablePointer<Float>, _ radius: Float, isFirst: Bool
) -> Bool {
  let whole = Vector(repeating: radius)
  let half = Vector(repeating: radius / 2)
  func offset(_ lane: Int) -> Vector {
    isFirst
      ? multiplyAdd(load(block + layout.reaches + lane), half, load(block + layout.middles + lane))
      : load(block + layout.offsets + lane)
  }
  func fits(_ lane: Int, _ offset: Vector) -> Bool {
    let most = multiplyAdd(load(block + layout.reaches + lane), whole, load(block + layout.middles + lane))
    return all(most - offset .<= Vector(repeating: limit))
  }
  let (low, high) = (offset(0), offset(16))
  guard fits(0, low), fits(16, high) else { return false }
  store(low, block + layout.offsets)
  store(high, block + layout.offsets + 16)
  return true
}

/// Adds a block of keys to a block of queries, whose scores are bounded.
@inline(__always)
func attendBounded(
  _ layout: AttentionScratch, _ keys: Int, _ factor: Float, _ block: UnsafeMutablePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let segment = UnsafeMutableRawPointer(scratch + layout.segment).assumingMemoryBound(to: Int.self)
  segment.pointee = 0
  weighBounded(layout, keys, factor, block, scratch)
  var channel = 0
  while channel < layout.valueWidth {
    addValues(
      (
        rows: UnsafeRawPointer(scratch + layout.values + channel &* (AttentionScratch.keys / 2)),
        rowStride: AttentionScratch.keys &* 2, segments: UnsafePointer(segment), segmentCount: 1,
        steps: (keys &+ 31) / 32, step: 32, columns: UnsafeRawPointer(scratch + layout.weights),
        output: block + layout.output + channel &* blockRows, readsAhead: false
      ))
    channel &+= 32
  }
}

/// The weights of a block of keys, and their sums.
///
/// Products and powers keep different parts of the processor busy: while eight keys are multiplied, the scores of the
/// eight before become weights. The first eight have none before: their hidden scores' weights are overwritten.
@inline(never)
private func weighBounded(
  _ layout: AttentionScratch, _ keys: Int, _ factor: Float, _ block: UnsafeMutablePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let count = EightRows.count
  let scores = scratch + layout.product
  let queries = UnsafeRawPointer(block)
  let factor = Vector(repeating: factor)
  var shift = WideRow(from: block + layout.offsets)
  shift.low = Vector(repeating: 0) - shift.low
  shift.high = Vector(repeating: 0) - shift.high
  var total = WideRow(from: block + layout.sums)
  for lane in stride(from: 0, to: count &* panelWidth, by: 16) {
    store(Vector(repeating: hidden), scores + lane)
  }
  let width = layout.keyWidth &* 2
  let tile = layout.keyWidth &* 32
  var target = scratch + layout.weights
  for key in stride(from: 0, to: (keys &+ 31) / 32 &* 32, by: count) {
    var rows = UnsafeRawPointer(scratch + layout.keyCopy) + key &* width
    var columns = queries
    var sums = EightRows(startingAt: scratch + layout.starts + key)
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
    target = scratch + layout.weights + (key / 32 &* 512 &+ key % 32 &* 8)
  }
  for pair in 0..<4 {
    weigh(TwoRows(from: scores + pair &* 64), target + pair &* 16, factor, shift, &total)
  }
  total.store(block + layout.sums)
}

/// Weights of two keys.
@inline(__always)
private func weigh(
  _ scores: TwoRows, _ weights: UnsafeMutablePointer<Float>, _ factor: Vector, _ shift: WideRow,
  _ total: inout WideRow
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
private func addValues(_ product: BlockProduct) {
  for row in stride(from: 0, to: blockRows, by: EightRows.count) {
    let output = product.output + row &* panelWidth
    addProducts(to: EightRows(from: output), product, row).store(output)
  }
}

private typealias TwoRows = Rows2<WideRow>
private typealias EightRows = Rows8<WideRow>

/// Sums that don't begin with zeros.
private protocol ContinuedSums: SumGroup {
  /// Sums that start at a number a row.
  init(startingAt starts: UnsafePointer<Float>)
  /// Sums that go on from those in memory.
  init(from sums: UnsafePointer<Float>)
}

extension WideRow: ContinuedSums {
  @inline(__always)
  init(startingAt starts: UnsafePointer<Float>) {
    low = Vector(repeating: starts[0])
    high = low
  }

  @inline(__always)
  init(from sums: UnsafePointer<Float>) {
    low = load(sums)
    high = load(sums + panelWidth / 2)
  }
}

extension Stack: ContinuedSums where Upper: ContinuedSums, Lower: ContinuedSums {
  @inline(__always)
  init(startingAt starts: UnsafePointer<Float>) {
    upper = Upper(startingAt: starts)
    lower = Lower(startingAt: starts + Upper.count)
  }

  @inline(__always)
  init(from sums: UnsafePointer<Float>) {
    upper = Upper(from: sums)
    lower = Lower(from: sums + Upper.count &* panelWidth)
  }
}
