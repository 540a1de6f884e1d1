// Attention without maxima, for vectors: where scores are known to lie in a small range, keys are read once, and become
// weights while the next are multiplied.
//
// With c the mean of some keys, a query's largest score is at least q c, and a score of key k is at most
//   u = q c + |q| max |k - c|.
// The first block of keys sets the query's offset m in the middle of the two, and as long as u - m is at most `limit`,
//   p = 2^(s - m),  l' = l + sum p,  o' = o + p v
// neither overflow nor lose the largest weight, 2^-limit at the least. bf16 is as exact at any scale.

import CKernelShims
import NNKernelInterface

/// The arithmetic of bounded attention's scores.
protocol BoundedScores {
  /// Floats of its own.
  static func room(_ task: AttentionTask) -> (panel: Int, keys: Int)
  /// Adds what it needs of a panel of queries, whose copy and place are made.
  static func begin(_ panel: QueryPanel, of attention: RoundedAttention)
  /// Adds what it needs of a block of keys, whose copy and center are made.
  static func copy(_ keys: KeyBlock, of attention: RoundedAttention)
  /// The weights of a block of keys, and their sums.
  static func weigh(_ panel: QueryPanel, _ keys: KeyBlock, of attention: RoundedAttention)
}

/// Scores of the copies in bf16.
enum RoundedScores: BoundedScores {
  @inline(__always) static func room(_ task: AttentionTask) -> (panel: Int, keys: Int) { (0, 0) }
  @inline(__always) static func begin(_: QueryPanel, of _: RoundedAttention) {}
  @inline(__always) static func copy(_: KeyBlock, of _: RoundedAttention) {}
  @inline(__always) static func weigh(_ panel: QueryPanel, _ keys: KeyBlock, of attention: RoundedAttention) {
    OwnProducts.weighBounded(panel, keys, of: attention)
  }
}

/// How far a score may exceed its offset: 2^80, times keys and values, is far from 2^127, and 2^-80 from 2^-126.
@inline(__always) private var limit: Float { 80 }

/// A score whose weight is zero, and the least factor on scores that makes it so.
@inline(__always) var hidden: Float { -1e30 }
@inline(__always) var leastFactor: Float { 1e-6 }

extension RoundedAttention {
  /// The largest distance of the copied keys from the center.
  @inline(__always)
  func radius(_ keys: KeyBlock) -> Float {
    let rows = UnsafeRawPointer(scratch + layout.keyCopy)
    let zero = Vector(repeating: 0)
    var largest = zero
    for first in stride(from: 0, to: keys.count, by: 16) {
      let squares = scratch + layout.product
      for key in first..<first &+ 16 {
        var sum = zero
        if key < keys.count {
          for channel in stride(from: 0, to: layout.keyWidth, by: 16) {
            let entries = BFloat16Element().load(rows + 2 &* (key &* layout.keyWidth &+ channel))
            let distance = entries - load(scratch + layout.center + channel)
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

  /// Writes each query's score of the center, and what a key at a distance of 1 from it may add.
  @inline(never)
  func place(_ panel: QueryPanel) {
    let (center, factor) = (scratch + layout.roundedCenter, factor)
    let (middles, reaches) = (panel.state + layout.middles, panel.state + layout.reaches)
    for half in 0..<2 {
      let zero = Vector(repeating: 0)
      var (middle, square) = (zero, zero)
      for pair in 0..<layout.keyWidth / 2 {
        let entries = load(panel.state + (half &* layout.keyWidth / 2 &+ pair) &* 16)
        middle = ardf_bf16_dot(middle, entries, Vector(repeating: center[pair]))
        square = ardf_bf16_dot(square, entries, entries)
      }
      let lane = half &* 16
      store(middle * Vector(repeating: factor), middles + lane)
      store(square, reaches + lane)
      for query in lane..<lane &+ 16 {
        reaches[query] = abs(factor) * reaches[query].squareRoot()
      }
    }
  }

  /// Whether no score of a block of keys, none farther than `radius` from the center, exceeds its offset by too much.
  ///
  /// The first block of keys sets the offsets if so.
  @inline(__always)
  func isBounded(_ panel: QueryPanel, _ radius: Float, isFirst: Bool) -> Bool {
    let (middles, reaches) = (panel.state + layout.middles, panel.state + layout.reaches)
    let offsets = panel.state + layout.offsets
    let whole = Vector(repeating: radius)
    let half = Vector(repeating: radius / 2)
    func offset(_ lane: Int) -> Vector {
      isFirst
        ? multiplyAdd(load(reaches + lane), half, load(middles + lane)) : load(offsets + lane)
    }
    func fits(_ lane: Int, _ offset: Vector) -> Bool {
      let most = multiplyAdd(load(reaches + lane), whole, load(middles + lane))
      return all(most - offset .<= Vector(repeating: limit))
    }
    let (low, high) = (offset(0), offset(16))
    guard fits(0, low), fits(16, high) else { return false }
    store(low, offsets)
    store(high, offsets + 16)
    return true
  }

  /// Adds the weighted values of a block of keys to the output of a panel.
  @inline(__always)
  func addValues(_ panel: QueryPanel, _ keys: KeyBlock) {
    let segment = noOffset()
    var channel = 0
    while channel < layout.valueWidth {
      OwnProducts.addValues(
        (
          rows: UnsafeRawPointer(scratch + layout.values + channel &* (RoundedAttentionScratch.keys / 2)),
          rowStride: RoundedAttentionScratch.keys &* 2, segments: segment, segmentCount: 1,
          steps: (keys.count &+ 31) / 32, step: 32, columns: UnsafeRawPointer(scratch + layout.weights),
          output: panel.state + layout.output + channel &* blockRows, readsAhead: false
        ), scratch + layout.room)
      channel &+= 32
    }
  }
}
