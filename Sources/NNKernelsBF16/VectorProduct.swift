// Products of bf16 with vectors (SumGroups.swift): those of convolutions, and of attention.

import CKernelShims

/// Multiplies the `count` rows from `first` on, at most 14, with 16 or 32 columns.
@inline(__always)
func multiplyVectors(_ product: BlockProduct, _ first: Int, _ count: Int, wide: Bool) {
  if wide {
    multiplyRows(WideSums<RoundedPairs>.self, product, first, count)
  } else {
    multiplyRows(NarrowSums<RoundedPairs>.self, product, first, count)
  }
}

/// Numbers of bf16, with sums in floats.
private enum RoundedPairs: WordArithmetic {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_bf16_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { sum }
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
    sums.write(to: scores)
    hide(from: keys &- key)
    target = scratch + layout.weights + (key / 32 &* 512 &+ key % 32 &* 8)
  }
  for pair in 0..<4 {
    weigh(TwoRows(from: scores + pair &* 64), target + pair &* 16, factor, shift, &total)
  }
  total.write(to: block + layout.sums)

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
    addProducts(to: EightRows(from: output), product, row).write(to: output)
  }
}

private typealias FloatRow = WideSums<RoundedPairs>
private typealias TwoRows = Sums2<FloatRow>
private typealias EightRows = Sums8<FloatRow>
