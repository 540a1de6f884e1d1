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
enum RoundedPairs: WordArithmetic {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_bf16_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { sum }
}

// MARK: Attention

extension OwnProducts {
  /// The weights of a block of keys, and their sums, from scores in bf16.
  @inline(never)
  static func weighBounded(_ panel: QueryPanel, _ keys: KeyBlock, of attention: RoundedAttention) {
    let layout = attention.layout
    let factor = Vector(repeating: attention.factor)
    let zero = Vector(repeating: 0)
    let offsets = FloatRow(from: panel.state + layout.offsets)
    attention.weigh(
      panel, keys, multiplying: RoundedPairs.self,
      (
        rows: UnsafeRawPointer(attention.scratch + layout.keyCopy), width: layout.keyWidth &* 2,
        columns: UnsafeRawPointer(panel.state)
      )
    ) { _ in
      ScoreScaling(lowFactor: factor, highFactor: factor, low: zero - offsets.low, high: zero - offsets.high)
    }
  }
}

/// Factors and shifts that turn scores of eight keys into the exponents of their weights, score * factor + shift, for
/// the first sixteen queries and the others.
struct ScoreScaling {
  var lowFactor, highFactor, low, high: Vector
}

extension RoundedAttention {
  /// The weights of a block of keys, and their sums.
  ///
  /// Products and powers keep different parts of the processor busy: while eight keys are multiplied, the scores of the
  /// eight before become weights. The first eight have none before: their hidden scores' weights are overwritten.
  ///
  /// - `operands`: keys, `width` bytes from one to the next, and transposed queries, of the first sixteen and then of the others.
  /// - `scaling`: of the eight keys from `8 * group` on.
  @inline(__always)
  func weigh<Words: WordArithmetic>(
    _ panel: QueryPanel, _ keys: KeyBlock, multiplying: Words.Type,
    _ operands: (rows: UnsafeRawPointer, width: Int, columns: UnsafeRawPointer),
    scaling: (_ group: Int) -> ScoreScaling
  ) {
    let count = Sums8<WideSums<Words>>.count
    let (scores, weights) = (scratch + layout.product, scratch + layout.weights)
    let softmax = softmax(panel, 0)
    var total = FloatRow(from: softmax.sums)
    hide(from: 0)
    let width = operands.width
    let tile = width &* 16
    var target = weights
    var exponents = scaling(0)
    for key in stride(from: 0, to: (keys.count &+ 31) / 32 &* 32, by: count) {
      var rows = operands.rows + key &* width
      var columns = operands.columns
      var sums = Sums8<WideSums<Words>>()
      for pair in 0..<4 {
        let end = columns + tile / 4
        repeat {
          sums.add(rows, width, columns, tile)
          rows += 4
          columns += 64
        } while columns < end
        weighTwo(TwoRows(from: scores + pair &* 64), target + pair &* 16, exponents, &total)
      }
      sums.write(to: scores)
      exponents = scaling(key / count)
      hide(from: keys.count &- key)
      target = weights + (key / 32 &* 512 &+ key % 32 &* 8)
    }
    for pair in 0..<4 {
      weighTwo(TwoRows(from: scores + pair &* 64), target + pair &* 16, exponents, &total)
    }
    total.write(to: softmax.sums)

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
}

/// Weights of two keys.
@inline(__always)
private func weighTwo(
  _ scores: TwoRows, _ weights: UnsafeMutablePointer<Float>, _ exponents: ScoreScaling,
  _ total: inout FloatRow
) {
  let even0 = roughPowerOfTwo(multiplyAdd(scores.upper.low, exponents.lowFactor, exponents.low))
  let odd0 = roughPowerOfTwo(multiplyAdd(scores.lower.low, exponents.lowFactor, exponents.low))
  ardf_bf16_store_pairs(weights, even0, odd0)
  total.low += even0
  total.low += odd0
  let even1 = roughPowerOfTwo(multiplyAdd(scores.upper.high, exponents.highFactor, exponents.high))
  let odd1 = roughPowerOfTwo(multiplyAdd(scores.lower.high, exponents.highFactor, exponents.high))
  ardf_bf16_store_pairs(weights + 256, even1, odd1)
  total.high += even1
  total.high += odd1
}

extension OwnProducts {
  /// Adds the weighted values of 32 channels to the output.
  @inline(never)
  static func addValues(_ product: BlockProduct, _ room: UnsafeMutablePointer<Float>) {
    for row in stride(from: 0, to: blockRows, by: EightRows.count) {
      let output = product.output + row &* panelWidth
      addProducts(to: EightRows(from: output), product, row).write(to: output)
    }
  }
}

typealias FloatRow = WideSums<RoundedPairs>
typealias TwoRows = Sums2<FloatRow>
private typealias EightRows = Sums8<FloatRow>
