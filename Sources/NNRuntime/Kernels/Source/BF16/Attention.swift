// Blocked attention with an online softmax, products in bf16: no score matrix ever reaches memory.
//
// A work item is a group of queries of one head, in blocks of 32. Queries lie along the lanes throughout:
//   scores (keys x queries) = keys * transposed queries, and
//   output (channels x queries) = transposed values * weights,
// so that maximum, exponential and sum run down the lanes, and the weights come out in the layout that the second
// product wants. Keys and transposed values of a block are copied once for all queries of the group.
//
// With m the running maximum of a query, l its running sum and o its running output, a block of scores s updates
//   m' = max(m, max s),  p = 2^(s - m'),  l' = l 2^(m - m') + sum p,  o' = o 2^(m - m') + p v
// and the result is o / l. Scores are in units of log2. Where scores are bounded, vectors need no maxima
// (BoundedAttention.swift).

import CKernelShims
import NNKernelInterface

/// Where the pieces of the scratch memory start, in floats.
struct RoundedAttentionScratch {
  /// Keys of a block.
  @inline(__always) static var keys: Int { 352 }
  /// Most query blocks of a work item: as long as a copy of the keys is worth.
  @inline(__always) static var blocks: Int { 22 }

  /// Widths rounded up to whole steps.
  var keyWidth, valueWidth: Int
  /// For each block of queries: transposed queries, running output, offsets (maxima, or what stands in for them), sums,
  /// scores of the keys' center, and what a key at a distance of 1 may add to them; then the size of them all.
  var output, offsets, sums, middles, reaches, ownBlock, blockCount: Int
  /// For a block of keys: copied keys, transposed values, pairs of values, scores, weights; for
  /// a product: sums, segment offset; for all keys: their center, in floats and in bf16.
  var keyCopy, values, pairs, scores, weights, product, segment, center, roundedCenter, ownKeys: Int
  /// Offset of a product's working memory, and the size of it all.
  var room, count: Int

  /// `own`: floats that scores need besides, for a block of queries and for a block of keys.
  @inline(__always) init(_ task: AttentionTask, own: (block: Int, keys: Int)) {
    let keys = Self.keys
    keyWidth = (task.keyWidth + 31) / 32 * 32
    valueWidth = (task.valueWidth + 31) / 32 * 32
    output = keyWidth * blockRows / 2
    offsets = output + valueWidth * blockRows
    sums = offsets + blockRows
    middles = sums + blockRows
    reaches = middles + blockRows
    ownBlock = reaches + blockRows
    blockCount = ownBlock + own.block
    keyCopy = blockCount * Self.blocks
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

/// Blocks of 32 queries, shared evenly by the groups of a head.
@inline(__always)
private func queryBlocks(_ task: AttentionTask) -> (blocks: Int, groups: Int) {
  let blocks = (task.tokens &+ blockRows &- 1) / blockRows
  return (blocks, (blocks &+ RoundedAttentionScratch.blocks &- 1) / RoundedAttentionScratch.blocks)
}

/// Most queries of a work item.
var roundedAttentionQueries: Int { RoundedAttentionScratch.blocks * blockRows }

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
  let scratch = share.scratch
  let layout = RoundedAttentionScratch(task.pointee, own: Scores.room(task.pointee))
  let (blocks, groups) = queryBlocks(task.pointee)
  OwnProducts.beginProducts(step: 32, tiles: tiles)
  let factor = task.pointee.scale * log2e
  for item in share.items {
    let (head, group) = (item / groups, item % groups)
    let first = blocks &* group / groups
    let last = blocks &* (group &+ 1) / groups
    if !tiles { averageKeys(task, layout, head, scratch) }
    for block in first..<last {
      let state = scratch + (block &- first) &* layout.blockCount
      beginBlock(task, layout, head, block, state, scratch, tiles)
      if !tiles { Scores.beginBlock(task, layout, head, block, state, scratch) }
    }
    var key = 0
    while key < task.pointee.tokens {
      let count = min(RoundedAttentionScratch.keys, task.pointee.tokens &- key)
      copyKeys(task, layout, head, key, count, scratch)
      if !tiles { Scores.copyKeys(task, layout, head, key, count, scratch) }
      let radius = !tiles && factor > leastFactor ? farthest(layout, count, scratch) : .infinity
      transposeValues(task, layout, head, key, count, scratch)
      for block in first..<last {
        let state = scratch + (block &- first) &* layout.blockCount
        if !tiles, isBounded(layout, state, radius, isFirst: key == 0) {
          attendBounded(Scores.self, layout, count, factor, state, scratch)
        } else {
          attend(layout, count, factor, state, scratch, tiles)
        }
      }
      key &+= RoundedAttentionScratch.keys
    }
    for block in first..<last {
      endBlock(task, layout, head, block, scratch + (block &- first) &* layout.blockCount)
    }
  }
  OwnProducts.endProducts(tiles: tiles)
}

@inline(__always) private var log2e: Float { 1.442_695_04 }

@inline(__always)
func address(_ base: UnsafePointer<Float>, _ element: ElementType, _ offset: Int) -> UnsafeRawPointer {
  UnsafeRawPointer(base) + offset &* element.size
}

/// Transposes 32 queries, zeros after the last, and clears the running state.
@inline(never)
private func beginBlock(
  _ task: UnsafePointer<AttentionTask>, _ layout: RoundedAttentionScratch, _ head: Int, _ index: Int,
  _ block: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ tiles: Bool
) {
  let task = task.pointee
  let rows = scratch + layout.pairs
  let words = layout.keyWidth / 2
  for lane in 0..<blockRows {
    let token = index &* blockRows &+ lane
    let row = UnsafeMutableRawPointer(rows + lane &* words)
    let used = token < task.tokens ? task.keyWidth : 0
    copyRounded(
      address(task.query, task.element, head &* task.queryHeadStride &+ token &* task.tokenStride),
      task.element, row, used)
    clear(row + 2 &* used, layout.keyWidth &- used)
  }
  for half in 0..<2 {
    for pair in stride(from: 0, to: words, by: 16) {
      let source = rows + (16 &* half &* words &+ pair)
      let target = block + (tiles ? pair &* 32 &+ half &* 256 : (half &* words &+ pair) &* 16)
      transpose({ load(source + $0 &* words) }, { store($1, target + $0 &* 16) })
    }
  }
  let zero = Vector(repeating: 0)
  for channel in 0..<layout.valueWidth {
    store(zero, block + layout.output + channel &* blockRows)
    store(zero, block + layout.output + channel &* blockRows + 16)
  }
  for half in 0..<2 {
    store(Vector(repeating: -.greatestFiniteMagnitude), block + layout.offsets + half &* 16)
    store(zero, block + layout.sums + half &* 16)
  }
  if !tiles { placeQueries(layout, task.scale * log2e, block, scratch + layout.roundedCenter) }
}

/// The mean of the first block of keys.
@inline(never)
private func averageKeys(
  _ task: UnsafePointer<AttentionTask>, _ layout: RoundedAttentionScratch, _ head: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
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
      let offset = head &* task.keyHeadStride &+ key &* task.tokenStride &+ channel
      sum += task.element.loadSome(address(task.key, task.element, offset), used)
    }
    BFloat16Element().store(sum * share, rounded + 2 &* channel)
    store(BFloat16Element().load(rounded + 2 &* channel), scratch + layout.center + channel)
  }
}

/// Keys as rows of bf16, zeros after their width and after the last up to a whole block of rows.
@inline(never)
private func copyKeys(
  _ task: UnsafePointer<AttentionTask>, _ layout: RoundedAttentionScratch, _ head: Int, _ first: Int,
  _ count: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let target = UnsafeMutableRawPointer(scratch + layout.keyCopy)
  for key in 0..<(count &+ 31) / 32 &* 32 {
    let row = target + key &* layout.keyWidth &* 2
    let used = key < count ? task.keyWidth : 0
    copyRounded(
      address(task.key, task.element, head &* task.keyHeadStride &+ (first &+ key) &* task.tokenStride),
      task.element, row, used)
    clear(row + 2 &* used, layout.keyWidth &- used)
  }
}

/// Values as (channel, key) in bf16, zeros after their width and the last key.
///
/// Two keys at a time become words, which are then transposed.
@inline(never)
private func transposeValues(
  _ task: UnsafePointer<AttentionTask>, _ layout: RoundedAttentionScratch, _ head: Int, _ first: Int,
  _ count: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let pairs = scratch + layout.pairs
  let width = layout.valueWidth
  let wholePairs = (count &+ 31) / 32 &* 16
  for pair in 0..<wholePairs {
    let source = head &* task.valueHeadStride &+ (first &+ 2 &* pair) &* task.tokenStride
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

/// Adds a block of keys to a block of queries.
@inline(__always)
private func attend(
  _ layout: RoundedAttentionScratch, _ keys: Int, _ factor: Float, _ block: UnsafeMutablePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>, _ tiles: Bool
) {
  let segment = UnsafeMutableRawPointer(scratch + layout.segment).assumingMemoryBound(to: Int.self)
  segment.pointee = 0
  let (scores, weights, product) = (
    scratch + layout.scores, scratch + layout.weights, scratch + layout.product
  )
  let keyBlocks = (keys &+ 31) / 32
  for part in 0..<keyBlocks {
    OwnProducts.multiplyBlock(
      (
        rows: UnsafeRawPointer(scratch + layout.keyCopy + part &* 16 &* layout.keyWidth),
        rowStride: layout.keyWidth &* 2, segments: UnsafePointer(segment), segmentCount: 1,
        steps: tiles ? layout.keyWidth / 32 : 1, step: tiles ? 32 : layout.keyWidth,
        columns: UnsafeRawPointer(block),
        output: scores + part &* 32 &* panelWidth, readsAhead: false
      ), tiles: tiles, rows: blockRows, columnTiles: 2, scratch + layout.room)
  }
  let low = weigh(layout, 0, keys, factor, block, scores, weights)
  let high = weigh(layout, 16, keys, factor, block, scores, weights)
  var channel = 0
  while channel < layout.valueWidth {
    OwnProducts.multiplyBlock(
      (
        rows: UnsafeRawPointer(scratch + layout.values + channel &* (RoundedAttentionScratch.keys / 2)),
        rowStride: RoundedAttentionScratch.keys &* 2, segments: UnsafePointer(segment), segmentCount: 1,
        steps: keyBlocks, step: 32, columns: UnsafeRawPointer(weights), output: product, readsAhead: false
      ), tiles: tiles, rows: blockRows, columnTiles: 2, scratch + layout.room)
    let output = block + layout.output + channel &* blockRows
    for row in 0..<32 {
      let (target, source) = (output + row &* 32, product + row &* 32)
      store(multiplyAdd(load(target), low, load(source)), target)
      store(multiplyAdd(load(target + 16), high, load(source + 16)), target + 16)
    }
    channel &+= 32
  }
}

/// The online softmax of sixteen queries over a block of keys: scores become weights in bf16.
///
/// Returns the factors on what was summed up before.
@inline(never)
private func weigh(
  _ layout: RoundedAttentionScratch, _ lane: Int, _ keys: Int, _ factor: Float,
  _ block: UnsafeMutablePointer<Float>,
  _ scores: UnsafePointer<Float>, _ weights: UnsafeMutablePointer<Float>
) -> Vector {
  let scores = scores + lane
  let factor = Vector(repeating: factor)
  var (max0, max1) = (load(scores), load(scores))
  var key = 0
  while key &+ 2 <= keys {
    max0 = ardf_larger(max0, load(scores + key &* 32))
    max1 = ardf_larger(max1, load(scores + (key &+ 1) &* 32))
    key &+= 2
  }
  if key < keys { max0 = ardf_larger(max0, load(scores + key &* 32)) }
  let old = load(block + layout.offsets + lane)
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
    ardf_bf16_store_pairs(
      weights + (pair / 16 &* 512 &+ lane &* 16 &+ pair % 16 &* 16), even, odd)
  }
  let decay = roughPowerOfTwo(old - new)
  store(new, block + layout.offsets + lane)
  store(multiplyAdd(load(block + layout.sums + lane), decay, sum0 + sum1), block + layout.sums + lane)
  return decay
}

/// Writes the quotients of output and sum.
@inline(never)
private func endBlock(
  _ task: UnsafePointer<AttentionTask>, _ layout: RoundedAttentionScratch, _ head: Int, _ index: Int,
  _ block: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let used = min(blockRows, task.tokens &- index &* blockRows)
  let first = index &* blockRows &* task.outputTokenStride &+ head &* task.outputHeadStride
  let shares = block + layout.sums
  for half in stride(from: 0, to: blockRows, by: 16) {
    store(Vector(repeating: 1) / load(shares + half), shares + half)
  }
  forEachVector(task.valueWidth) { channel, count in
    for half in stride(from: 0, to: used, by: 16) {
      let source = block + (layout.output &+ channel &* blockRows &+ half)
      let target = first &+ half &* task.outputTokenStride &+ channel
      transpose({ load(source + $0 &* blockRows) }) { lane, sum in
        guard half &+ lane < used else { return }
        task.outputElement.storeSome(
          sum * Vector(repeating: shares[half &+ lane]),
          UnsafeMutableRawPointer(task.output)
            + (target &+ lane &* task.outputTokenStride) &* task.outputElement.size, count)
      }
    }
  }
}
