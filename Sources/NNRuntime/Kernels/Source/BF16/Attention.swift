// Attention with products in bf16:
//   scores (keys x queries) = keys * transposed queries, and
//   output (channels x queries) = transposed values * weights,
// so that the weights come out in the layout that the second product wants. Where scores are bounded, vectors need no maxima
// (BoundedAttention.swift).

import CKernelShims
import NNKernelInterface

/// Where the pieces of the scratch memory start, in floats.
struct RoundedAttentionScratch {
  /// Most keys of a block.
  @inline(__always) static var keys: Int { 352 }
  /// Most panels of a work item: as many as a copy of the keys is worth.
  @inline(__always) static var panels: Int { 22 }

  /// Widths rounded up to whole steps.
  var keyWidth, valueWidth: Int
  /// For each panel of queries: transposed queries, running output, offsets (maxima, or what stands in for them), sums,
  /// scores of the keys' center, and what a key at a distance of 1 may add to them; then the size of them all.
  var output, offsets, middles, reaches, ownPanel, panelCount: Int
  /// For a block of keys: copied keys, transposed values, pairs of values, scores, weights; for
  /// a product: sums, segment offset; for all keys: their center, in floats and in bf16.
  var keyCopy, values, pairs, scores, weights, product, segment, center, roundedCenter, ownKeys: Int
  /// Offset of a product's working memory, and the size of it all.
  var room, count: Int

  /// `own`: floats that scores need besides, for a panel of queries and for a block of keys.
  @inline(__always) init(_ task: AttentionTask, own: (panel: Int, keys: Int)) {
    let keys = Self.keys
    keyWidth = (task.keyWidth + 31) / 32 * 32
    valueWidth = (task.valueWidth + 31) / 32 * 32
    output = keyWidth * blockRows / 2
    offsets = output + valueWidth * blockRows
    middles = offsets + 2 * blockRows
    reaches = middles + blockRows
    ownPanel = reaches + blockRows
    panelCount = ownPanel + own.panel
    keyCopy = panelCount * Self.panels
    values = keyCopy + keys * keyWidth / 2
    pairs = values + valueWidth * keys / 2
    scores = pairs + max(valueWidth * keys / 2, keyWidth * blockRows / 2)
    weights = scores + keys * blockRows
    product = weights + keys * blockRows / 2
    segment = product + blockRows * panelWidth
    center = segment + 16
    roundedCenter = center + keyWidth
    ownKeys = roundedCenter + keyWidth / 2
    room = ownKeys + own.keys
    count = room + OwnProducts.productRoom
  }
}

/// Most queries of a work item.
var roundedAttentionQueries: Int { ScoredAttention<RoundedScores>.mostQueries }

@inline(__always)
func roundedAttentionScratch<Scores: BoundedScores>(
  _ task: UnsafePointer<AttentionTask>, _: Scores.Type
) -> Int {
  RoundedAttentionScratch(task.pointee, own: Scores.room(task.pointee)).count
}

@inline(__always)
func roundedAttention<Scores: BoundedScores>(
  _ task: UnsafePointer<AttentionTask>, _ share: Share, tiles: Bool, _: Scores.Type
) {
  OwnProducts.beginProducts(step: 32, tiles: tiles)
  let layout = RoundedAttentionScratch(task.pointee, own: Scores.room(task.pointee))
  let attention = RoundedAttention(task: task, scratch: share.scratch, layout: layout, tiles: tiles)
  ScoredAttention<Scores>(attention: attention).compute(share.items)
  OwnProducts.endProducts(tiles: tiles)
}

/// The kernel of attention with products in bf16, where scores are bounded in the arithmetic of `Scores`.
private struct ScoredAttention<Scores: BoundedScores>: BlockedAttention {
  var attention: RoundedAttention
  /// The largest distance of the copied keys from the center.
  var radius = Float.infinity

  @inline(__always) static var mostKeys: Int { RoundedAttentionScratch.keys }
  @inline(__always) static var mostPanels: Int { RoundedAttentionScratch.panels }

  @inline(__always) var task: UnsafePointer<AttentionTask> { attention.task }
  @inline(__always) var scratch: UnsafeMutablePointer<Float> { attention.scratch }
  @inline(__always) var panelCount: Int { attention.layout.panelCount }
  @inline(__always) var maxima: Int { attention.layout.offsets }

  @inline(__always)
  mutating func begin(_ head: AttentionHead) {
    attention.head = head
    if !attention.tiles { attention.averageKeys() }
  }

  @inline(__always)
  func beginPanel(_ panel: QueryPanel) {
    attention.beginPanel(panel)
    if !attention.tiles {
      attention.place(panel)
      Scores.begin(panel, of: attention)
    }
  }

  @inline(__always)
  mutating func copy(_ keys: KeyBlock) {
    attention.copyKeys(keys)
    if !attention.tiles {
      Scores.copy(keys, of: attention)
      if attention.factor > leastFactor { radius = attention.radius(keys) }
    }
    attention.transposeValues(keys)
  }

  @inline(__always)
  func attend(_ panel: QueryPanel, to keys: KeyBlock) {
    if !attention.tiles, attention.isBounded(panel, radius, isFirst: keys.first == 0) {
      Scores.weigh(panel, keys, of: attention)
      attention.addValues(panel, keys)
    } else {
      attention.attend(panel, keys)
    }
  }

  @inline(__always) func endPanel(_ panel: QueryPanel) { attention.endPanel(panel) }
}

@inline(__always)
func address(_ base: UnsafePointer<Float>, _ element: ElementType, _ offset: Int) -> UnsafeRawPointer {
  UnsafeRawPointer(base) + offset &* element.size
}

/// One head of attention in bf16, in products by tiles or by vectors.
struct RoundedAttention {
  let task: UnsafePointer<AttentionTask>
  let scratch: UnsafeMutablePointer<Float>
  let layout: RoundedAttentionScratch
  let tiles: Bool
  var head = AttentionHead()

  /// Factor on scores.
  @inline(__always) var factor: Float { task.pointee.scale * 1.442_695_04 }

  /// The softmax of the sixteen queries of a panel from `lane` on.
  @inline(__always)
  func softmax(_ panel: QueryPanel, _ lane: Int) -> OnlineSoftmax {
    OnlineSoftmax(maxima: panel.state + (layout.offsets &+ lane))
  }

  /// The offset of a product's one segment.
  @inline(__always)
  func noOffset() -> UnsafePointer<Int> {
    let segment = UnsafeMutableRawPointer(scratch + layout.segment).assumingMemoryBound(to: Int.self)
    segment.pointee = 0
    return UnsafePointer(segment)
  }

  /// Transposes 32 queries, zeros after the last.
  @inline(never)
  func beginPanel(_ panel: QueryPanel) {
    let task = task.pointee
    let rows = scratch + layout.pairs
    let words = layout.keyWidth / 2
    for lane in 0..<blockRows {
      let row = UnsafeMutableRawPointer(rows + lane &* words)
      let used = lane < panel.count ? task.keyWidth : 0
      copyRounded(
        address(task.query, task.element, head.query &+ (panel.first &+ lane) &* task.tokenStride),
        task.element, row, used)
      clear(row + 2 &* used, layout.keyWidth &- used)
    }
    for half in 0..<2 {
      for pair in stride(from: 0, to: words, by: 16) {
        let source = rows + (16 &* half &* words &+ pair)
        let target = panel.state + (tiles ? pair &* 32 &+ half &* 256 : (half &* words &+ pair) &* 16)
        transpose({ load(source + $0 &* words) }, { store($1, target + $0 &* 16) })
      }
    }
    storeZeros(panel.state + layout.output, count: layout.valueWidth &* blockRows)
  }

  /// The mean of the first block of keys.
  @inline(never)
  func averageKeys() {
    let task = task.pointee
    let count = min(RoundedAttentionScratch.keys, task.tokens)
    let share = Vector(repeating: 1 / Float(count))
    let rounded = UnsafeMutableRawPointer(scratch + layout.roundedCenter)
    clear(rounded, layout.keyWidth)
    for channel in stride(from: 0, to: layout.keyWidth, by: 16) {
      store(Vector(repeating: 0), scratch + layout.center + channel)
    }
    forEachVector(task.keyWidth) { channel, used in
      var sum = Vector(repeating: 0)
      for key in 0..<count {
        let offset = head.key &+ key &* task.tokenStride &+ channel
        sum += task.element.loadSome(address(task.key, task.element, offset), used)
      }
      BFloat16Element().store(sum * share, rounded + 2 &* channel)
      store(BFloat16Element().load(rounded + 2 &* channel), scratch + layout.center + channel)
    }
  }

  /// Keys as rows of bf16, zeros after their width and after the last up to a whole block of rows.
  @inline(never)
  func copyKeys(_ keys: KeyBlock) {
    let task = task.pointee
    let target = UnsafeMutableRawPointer(scratch + layout.keyCopy)
    for key in 0..<(keys.count &+ 31) / 32 &* 32 {
      let row = target + key &* layout.keyWidth &* 2
      let used = key < keys.count ? task.keyWidth : 0
      copyRounded(
        address(task.key, task.element, head.key &+ (keys.first &+ key) &* task.tokenStride),
        task.element, row, used)
      clear(row + 2 &* used, layout.keyWidth &- used)
    }
  }

  /// Values as (channel, key) in bf16, zeros after their width and the last key.
  ///
  /// Two keys at a time become words, which are then transposed.
  @inline(never)
  func transposeValues(_ keys: KeyBlock) {
    let (task, count) = (task.pointee, keys.count)
    let pairs = scratch + layout.pairs
    let width = layout.valueWidth
    let wholePairs = (count &+ 31) / 32 &* 16
    for pair in 0..<wholePairs {
      let source = head.value &+ (keys.first &+ 2 &* pair) &* task.tokenStride
      var channel = 0
      if task.element == .bfloat16, 2 &* pair &+ 1 < count {
        let (even, odd) = (
          address(task.value, .bfloat16, source), address(task.value, .bfloat16, source &+ task.tokenStride)
        )
        while channel &+ 16 <= task.valueWidth {
          ardf_bf16_copy_pairs(pairs + pair &* width + channel, even + 2 &* channel, odd + 2 &* channel)
          channel &+= 16
        }
      }
      while channel < width {
        let used = max(0, min(16, task.valueWidth &- channel))
        var even = Vector(repeating: 0)
        var odd = Vector(repeating: 0)
        if 2 &* pair < count {
          even = task.element.loadSome(address(task.value, task.element, source &+ channel), used)
        }
        if 2 &* pair &+ 1 < count {
          odd = task.element.loadSome(
            address(task.value, task.element, source &+ task.tokenStride &+ channel), used)
        }
        ardf_bf16_store_pairs(pairs + pair &* width + channel, even, odd)
        channel &+= 16
      }
    }
    let rowWords = RoundedAttentionScratch.keys / 2
    for channel in stride(from: 0, to: width, by: 16) {
      for pair in stride(from: 0, to: wholePairs, by: 16) {
        let source = pairs + (pair &* width &+ channel)
        let target = scratch + (layout.values &+ channel &* rowWords &+ pair)
        transpose({ load(source + $0 &* width) }, { store($1, target + $0 &* rowWords) })
      }
    }
  }

  /// Adds a block of keys to a panel of queries, whatever the scores.
  @inline(__always)
  func attend(_ panel: QueryPanel, _ keys: KeyBlock) {
    let segment = noOffset()
    let product = scratch + layout.product
    let keyBlocks = (keys.count &+ 31) / 32
    for part in 0..<keyBlocks {
      OwnProducts.multiplyBlock(
        (
          rows: UnsafeRawPointer(scratch + layout.keyCopy + part &* 16 &* layout.keyWidth),
          rowStride: layout.keyWidth &* 2, segments: segment, segmentCount: 1,
          steps: tiles ? layout.keyWidth / 32 : 1, step: tiles ? 32 : layout.keyWidth,
          columns: UnsafeRawPointer(panel.state),
          output: scratch + layout.scores + part &* 32 &* panelWidth, readsAhead: false
        ), tiles: tiles, rows: blockRows, columnTiles: 2, scratch + layout.room)
    }
    let low = weigh(panel, 0, keys.count)
    let high = weigh(panel, 16, keys.count)
    var channel = 0
    while channel < layout.valueWidth {
      OwnProducts.multiplyBlock(
        (
          rows: UnsafeRawPointer(scratch + layout.values + channel &* (RoundedAttentionScratch.keys / 2)),
          rowStride: RoundedAttentionScratch.keys &* 2, segments: segment, segmentCount: 1,
          steps: keyBlocks, step: 32, columns: UnsafeRawPointer(scratch + layout.weights), output: product,
          readsAhead: false
        ), tiles: tiles, rows: blockRows, columnTiles: 2, scratch + layout.room)
      let output = panel.state + layout.output + channel &* blockRows
      for row in 0..<32 {
        let (target, source) = (output + row &* 32, product + row &* 32)
        store(multiplyAdd(load(target), low, load(source)), target)
        store(multiplyAdd(load(target + 16), high, load(source + 16)), target + 16)
      }
      channel &+= 32
    }
  }

  /// Scores of the sixteen queries from `lane` on become weights in bf16.
  ///
  /// Returns the factors on what was summed up before.
  @inline(never)
  func weigh(_ panel: QueryPanel, _ lane: Int, _ keys: Int) -> Vector {
    let (scores, weights) = (scratch + (layout.scores &+ lane), scratch + (layout.weights &+ lane &* 16))
    let softmax = softmax(panel, lane)
    let factor = Vector(repeating: factor)
    var (max0, max1) = (load(scores), load(scores))
    var key = 0
    while key &+ 2 <= keys {
      max0 = ardf_larger(max0, load(scores + key &* 32))
      max1 = ardf_larger(max1, load(scores + (key &+ 1) &* 32))
      key &+= 2
    }
    if key < keys { max0 = ardf_larger(max0, load(scores + key &* 32)) }
    let old = load(softmax.maxima)
    let new = ardf_larger(old, ardf_larger(max0, max1) * factor)

    let zero = Vector(repeating: 0)
    var (sum0, sum1) = (zero, zero)
    let wholePairs = (keys &+ 31) / 32 &* 16
    for pair in 0..<wholePairs {
      var (even, odd) = (zero, zero)
      if 2 &* pair &+ 1 < keys {
        even = roughPowerOfTwo(multiplyAdd(load(scores + pair &* 64), factor, zero - new))
        odd = roughPowerOfTwo(multiplyAdd(load(scores + pair &* 64 + 32), factor, zero - new))
      } else if 2 &* pair < keys {
        even = roughPowerOfTwo(multiplyAdd(load(scores + pair &* 64), factor, zero - new))
      }
      sum0 += even
      sum1 += odd
      ardf_bf16_store_pairs(weights + (pair / 16 &* 512 &+ pair % 16 &* 16), even, odd)
    }
    let decay = roughPowerOfTwo(old - new)
    softmax.add(sum0 + sum1, maximum: new, decay: decay)
    return decay
  }

  @inline(never)
  func endPanel(_ panel: QueryPanel) {
    let task = task.pointee
    let first = head.output &+ panel.first &* task.outputTokenStride
    let quotients = softmax(panel, 0).sums
    forEachVector(task.valueWidth) { channel, count in
      for half in stride(from: 0, to: panel.count, by: 16) {
        let source = panel.state + (layout.output &+ channel &* blockRows &+ half)
        let target = first &+ half &* task.outputTokenStride &+ channel
        transpose({ load(source + $0 &* blockRows) }) { lane, sum in
          guard half &+ lane < panel.count else { return }
          task.outputElement.storeSome(
            sum * Vector(repeating: quotients[half &+ lane]),
            UnsafeMutableRawPointer(task.output)
              + (target &+ lane &* task.outputTokenStride) &* task.outputElement.size, count)
        }
      }
    }
  }
}
