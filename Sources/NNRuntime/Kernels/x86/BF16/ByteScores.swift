// Scores of attention from products of 8-bit integers: of queries, and of keys less their center, which adds the same to all
// scores of a query and so changes no weight. Each query has a scale of its own, keys share one by eights.
//
// With q = s a, a integers from -127 to 127, and k - c = t (b - 128), b integers from 1 to 255,
//   q k = q c + s t (sum a b - 128 sum a).
// Subtracting the keys' mean before rounding them is SageAttention's (Zhang et al., ICLR 2025).

import CKernelShims
import NNKernelInterface

enum ByteScores: BoundedScores {
  /// Keys that share a scale.
  @inline(__always) private static var together: Int { 8 }
  /// Scales are no smaller: a hidden score times two of them must still have no weight.
  @inline(__always) private static var leastScale: Float { 1e-10 }

  /// Bytes of a key or a query: whole vectors of words.
  @inline(__always) private static func width(_ keyWidth: Int) -> Int { (keyWidth &+ 63) / 64 &* 64 }

  /// Whether there are fewer products than in bf16.
  @inline(__always) private static func saves(_ keyWidth: Int) -> Bool { keyWidth > 32 }

  /// Floats for a panel of queries: transposed queries, scales times the task's, and 128 times the sums of their integers.
  ///
  /// For a block of keys: keys and their scales.
  @inline(__always) static func room(_ task: AttentionTask) -> (panel: Int, keys: Int) {
    guard saves(task.keyWidth) else { return (0, 0) }
    let (width, keys) = (width(task.keyWidth), RoundedAttentionScratch.keys)
    return (width &* blockRows / 4 &+ 2 &* blockRows, keys &* width / 4 &+ keys / together)
  }

  @inline(never)
  static func begin(_ panel: QueryPanel, of attention: RoundedAttention) {
    let (task, layout) = (attention.task.pointee, attention.layout)
    guard saves(layout.keyWidth) else { return }
    let words = width(layout.keyWidth) / 4
    let (rows, columns) = (attention.scratch + layout.pairs, panel.state + layout.ownPanel)
    let scales = columns + words &* blockRows
    let sums = scales + blockRows
    for lane in 0..<blockRows {
      let row = UnsafeMutableRawPointer(rows + lane &* words)
      clear(row, 2 &* words)
      var (scale, sum) = (leastScale, 0)
      if lane < panel.count {
        let source = address(
          task.query, task.element, attention.head.query &+ (panel.first &+ lane) &* task.tokenStride)
        var largest = Vector(repeating: 0)
        forEachVector(task.keyWidth) {
          let x = task.element.loadSome(source + $0 &* task.element.size, $1)
          largest = larger(largest, larger(x, Vector(repeating: 0) - x))
        }
        scale = max(scale, maximum(largest) * (1 / 127))
        let factor = Vector(repeating: 1 / scale)
        forEachVector(task.keyWidth) {
          let x = task.element.loadSome(source + $0 &* task.element.size, $1)
          let integers = ardf_int32_nearest(x * factor)
          ardf_int8_store(row + $0, integers)
          sum &+= Int(ardf_int32_sum(integers))
        }
      }
      scales[lane] = scale * task.scale * 1.442_695_04
      sums[lane] = Float(128 &* sum)
    }
    for half in 0..<2 {
      for word in stride(from: 0, to: words, by: 16) {
        let source = rows + (16 &* half &* words &+ word)
        let target = columns + (half &* words &+ word) &* 16
        transpose({ load(source + $0 &* words) }, { store($1, target + $0 &* 16) })
      }
    }
  }

  @inline(never)
  static func copy(_ keys: KeyBlock, of attention: RoundedAttention) {
    let (task, layout, count) = (attention.task.pointee, attention.layout, keys.count)
    guard saves(layout.keyWidth) else { return }
    let width = width(layout.keyWidth)
    let (own, center) = (attention.scratch + layout.ownKeys, attention.scratch + layout.center)
    let rows = UnsafeMutableRawPointer(own)
    let scales = own + RoundedAttentionScratch.keys &* width / 4
    let first = attention.head.key &+ keys.first &* task.tokenStride
    /// Sixteen channels of a key, less the center's.
    @inline(__always) func distance(_ key: Int, _ channel: Int, _ used: Int) -> Vector {
      let offset = first &+ key &* task.tokenStride &+ channel
      return task.element.loadSome(address(task.key, task.element, offset), used) - load(center + channel)
    }
    for begin in stride(from: 0, to: (count &+ 31) / 32 &* 32, by: together) {
      var (largest, squares) = (Vector(repeating: 0), Vector(repeating: 0))
      let end = min(begin &+ together, count)
      var key = begin
      while key < end {
        forEachVector(task.keyWidth) {
          let x = distance(key, $0, $1)
          largest = larger(largest, larger(x, Vector(repeating: 0) - x))
          squares = multiplyAdd(x, x, squares)
        }
        key &+= 1
      }
      let scale = max(leastScale, maximum(largest) * (1 / 127))
      // What is not a number makes all eight keys' scores not numbers; squares of bounded keys fit a float.
      scales[begin / together] = scale + 0 * sum(squares)
      let (factor, middle) = (Vector(repeating: 1 / scale), Vector(repeating: 128))
      for key in begin..<begin &+ together {
        let row = rows + key &* width
        clear(row, width / 2)
        guard key < count else { continue }
        forEachVector(task.keyWidth) {
          ardf_uint8_store(row + $0, ardf_int32_nearest(multiplyAdd(distance(key, $0, $1), factor, middle)))
        }
      }
    }
  }

  @inline(never)
  static func weigh(_ panel: QueryPanel, _ keys: KeyBlock, of attention: RoundedAttention) {
    let layout = attention.layout
    guard saves(layout.keyWidth) else { return OwnProducts.weighBounded(panel, keys, of: attention) }
    let width = width(layout.keyWidth)
    let columns = panel.state + layout.ownPanel
    let queryScales = FloatRow(from: columns + width / 4 &* blockRows)
    let sums = FloatRow(from: columns + (width / 4 &* blockRows &+ blockRows))
    let middles = FloatRow(from: panel.state + layout.middles)
    let offsets = FloatRow(from: panel.state + layout.offsets)
    let (low, high) = (middles.low - offsets.low, middles.high - offsets.high)
    let rows = attention.scratch + layout.ownKeys
    let keyScales = rows + RoundedAttentionScratch.keys &* width / 4
    attention.weigh(
      panel, keys, multiplying: IntegerQuads.self,
      (rows: UnsafeRawPointer(rows), width: width, columns: UnsafeRawPointer(columns))
    ) { group in
      let scale = Vector(repeating: keyScales[group])
      let (lowFactor, highFactor) = (queryScales.low * scale, queryScales.high * scale)
      let zero = Vector(repeating: 0)
      return ScoreScaling(
        lowFactor: lowFactor, highFactor: highFactor, low: multiplyAdd(zero - lowFactor, sums.low, low),
        high: multiplyAdd(zero - highFactor, sums.high, high))
    }
  }
}
