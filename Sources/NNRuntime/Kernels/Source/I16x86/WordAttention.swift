// Blocked attention with an online softmax, products of 16-bit integers: no score matrix ever reaches memory.
//
// A work item is a group of queries of one head, in panels along the lanes:
//   scores (keys x queries) = keys * transposed queries, and
//   output (channels x queries) = transposed values * weights,
// so that maximum, exponential and sum run down the lanes, and the weights come out as columns of the second product. Keys
// and values of a block are rounded once for all queries of the group; each key, query, channel of a block of values and
// query's weights for a block has a scale of its own.
//
// With m the running maximum of a query, l its running sum and o its running output, a block of scores s updates
//   m' = max(m, max s),  p = 2^(s - m'),  l' = l 2^(m - m') + sum p,  o' = o 2^(m - m') + p v
// and the result is o / l. Scores are in units of log2: the queries' scales carry log2(e).

import CKernelShims
import NNKernelInterface

/// Adds the kernel of attention that multiplies integers of 16 bits, between maps of floats.
func addWordAttention(to catalogue: inout KernelCatalogue, by permit: Permit) {
  catalogue.add(
    "attention-i16", of: AttentionTask.self, products: .int16, maps: .float32,
    together: WordAttentionScratch.queries,
    tolerance: .integers, by: permit, scratch: { wordAttentionScratch($0) }, run: { wordAttention($0, $1) })
}

/// Where the pieces of the scratch memory start, in floats.
private struct WordAttentionScratch {
  /// Keys of a block: a weight far below its block's largest is rounded to none, those of other blocks are not.
  @inline(__always) static var keys: Int { 128 }
  /// Most queries of a work item: as long as a rounded copy of the keys is worth.
  @inline(__always) static var queries: Int { 704 }

  /// Words of a key or query, and floats from one rounded key to the next, and from one rounded channel of values.
  var words, keyStride, valueStride: Int
  /// For each panel of queries: the rounded queries and their scales, the output (value width, panel), maxima, sums, and what
  /// the last block's weights and sums before it are multiplied by; then the size of them all.
  var scales, output, maxima, sums, weightScales, factors, panelCount: Int
  /// For a block of keys: keys and values with their scales, scores, weights, a product; and the size of it all.
  var keys, keyScales, values, valueScales, scores, weights, product, count: Int

  @inline(__always)
  init(_ task: AttentionTask) {
    let block = Self.keys
    words = SixteenBits.words(task.keyWidth)
    // A line more, so that rows fall into different sets of the first-level cache.
    keyStride = (task.keyWidth &+ 31) / 32 &* 16 &+ 16
    valueStride = block / 2 &+ 16
    scales = words &* panelWidth
    output = scales &+ panelWidth
    maxima = output &+ task.valueWidth &* panelWidth
    sums = maxima &+ panelWidth
    weightScales = sums &+ panelWidth
    factors = weightScales &+ panelWidth
    panelCount = factors &+ panelWidth
    keys = panelCount &* (Self.queries / panelWidth)
    keyScales = keys &+ block &* keyStride
    values = keyScales &+ block
    valueScales = values &+ task.valueWidth &* valueStride
    scores = valueScales &+ (task.valueWidth &+ 15) / 16 &* 16
    weights = scores &+ block &* panelWidth
    product = weights &+ block / 2 &* panelWidth
    // Transposed floats lie where products will: of queries, or of sixteen channels of values.
    count = product &+ max(task.valueWidth &* panelWidth, (task.keyWidth &+ 15) / 16 &* 256, 16 &* block)
  }

  /// Panels of queries, shared evenly by the groups of a head.
  @inline(__always) static func panels(_ task: AttentionTask) -> (panels: Int, groups: Int) {
    let panels = (task.tokens &+ panelWidth &- 1) / panelWidth
    return (panels, (panels &* panelWidth &+ queries &- 1) / queries)
  }
}

private func wordAttentionScratch(_ task: UnsafePointer<AttentionTask>) -> Int {
  WordAttentionScratch(task.pointee).count
}

private func wordAttention(_ task: UnsafePointer<AttentionTask>, _ share: Share) {
  let scratch = share.scratch
  let layout = WordAttentionScratch(task.pointee)
  let (panels, groups) = WordAttentionScratch.panels(task.pointee)
  for item in share.items {
    let (head, group) = (item / groups, item % groups)
    let (first, last) = (panels &* group / groups, panels &* (group &+ 1) / groups)
    for panel in first..<last {
      beginPanel(task, layout, head, panel, scratch + (panel &- first) &* layout.panelCount, scratch)
    }
    var key = 0
    while key < task.pointee.tokens {
      let keys = min(WordAttentionScratch.keys, task.pointee.tokens &- key)
      roundKeys(task, layout, head, key, keys, scratch)
      roundValues(task, layout, head, key, keys, scratch)
      for panel in first..<last {
        attend(task, layout, keys, scratch + (panel &- first) &* layout.panelCount, scratch)
      }
      key &+= keys
    }
    for panel in first..<last {
      endPanel(task, layout, head, panel, scratch + (panel &- first) &* layout.panelCount)
    }
  }
}

/// Rounds the queries of a panel, zeros after the last, and clears the running state.
@inline(never)
private func beginPanel(
  _ task: UnsafePointer<AttentionTask>, _ layout: WordAttentionScratch, _ head: Int, _ index: Int,
  _ panel: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let queries = task.query + head &* task.queryHeadStride
  let transposed = scratch + layout.product
  let zero = Vector(repeating: 0)
  for half in stride(from: 0, to: panelWidth, by: 16) {
    let first = index &* panelWidth &+ half
    var (squares, largest) = (zero, zero)
    forEachVector(task.keyWidth) { channel, count in
      transpose({
        guard first &+ $0 < task.tokens else { return zero }
        return Float32Element().loadSome(queries + (first &+ $0) &* task.tokenStride + channel, count)
      }) { lane, entries in
        squares = multiplyAdd(entries, entries, squares)
        largest = larger(largest, larger(entries, zero - entries))
        store(entries, transposed + (channel &+ lane) &* 16)
      }
    }
    let norm = ardf_square_root(squares)
    let scale = larger(
      norm * Vector(repeating: 1 / ScaledWords.rightNorm),
      larger(largest * Vector(repeating: 1 / ScaledWords.largest), Vector(repeating: 1e-30)))
    let factor = Vector(repeating: task.scale < 0 ? -1 : 1) / scale
    // What is not a number stays one, in the scale.
    let told = scale + (norm - norm)
    store(told * Vector(repeating: abs(task.scale) * 1.442_695_04), panel + layout.scales + half)
    for word in 0..<layout.words {
      let pair = transposed + word &* 32
      ScaledWords.storePairs(
        load(pair) * factor, load(pair + 16) * factor, panel + (half &* layout.words &+ word &* 16))
    }
    store(Vector(repeating: -.greatestFiniteMagnitude), panel + layout.maxima + half)
    store(zero, panel + layout.sums + half)
  }
  for index in stride(from: 0, to: task.valueWidth &* panelWidth, by: 16) {
    store(zero, panel + layout.output + index)
  }
}

/// Rounds a block of keys, each a row.
@inline(never)
private func roundKeys(
  _ task: UnsafePointer<AttentionTask>, _ layout: WordAttentionScratch, _ head: Int, _ first: Int,
  _ count: Int, _ scratch: UnsafeMutablePointer<Float>
) {
  let keys = task.pointee.key + head &* task.pointee.keyHeadStride
  for key in 0..<count {
    SixteenBits.roundRow(
      Float32Element(), keys + (first &+ key) &* task.pointee.tokenStride, task.pointee.keyWidth,
      scratch + layout.keys + key &* layout.keyStride, scratch + layout.keyScales + key, stride: 0)
  }
}

/// Rounds a block of values, each channel a row, zeros after the last key.
@inline(never)
private func roundValues(
  _ task: UnsafePointer<AttentionTask>, _ layout: WordAttentionScratch, _ head: Int, _ first: Int,
  _ count: Int, _ scratch: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let values = task.value + head &* task.valueHeadStride + first &* task.tokenStride
  let (transposed, stride) = (scratch + layout.product, WordAttentionScratch.keys)
  let padded = (count &+ 15) / 16 &* 16
  forEachVector(task.valueWidth) { channel, channels in
    for key in Swift.stride(from: 0, to: padded, by: 16) {
      transpose({
        guard key &+ $0 < count else { return Vector(repeating: 0) }
        return Float32Element().loadSome(values + (key &+ $0) &* task.tokenStride + channel, channels)
      }) { store($1, transposed + $0 &* stride + key) }
    }
    for lane in 0..<channels {
      let row = channel &+ lane
      SixteenBits.roundRow(
        Float32Element(), transposed + lane &* stride, padded,
        scratch + layout.values + row &* layout.valueStride, scratch + layout.valueScales + row, stride: 0)
    }
  }
}

/// Adds a block of keys to a panel of queries.
@inline(never)
private func attend(
  _ task: UnsafePointer<AttentionTask>, _ layout: WordAttentionScratch, _ keys: Int,
  _ panel: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
) {
  let (scores, weights, product) = (
    scratch + layout.scores, scratch + layout.weights, scratch + layout.product
  )
  ScaledWords.multiply(
    scratch + layout.keys, leftStride: layout.keyStride &* 4, rows: keys, words: layout.words, panel,
    columns: panelWidth, scores)
  let words = SixteenBits.words(keys)
  for half in stride(from: 0, to: panelWidth, by: 16) {
    weigh(layout, keys, half, panel, scores + half, scratch + layout.keyScales, weights + half &* words)
  }
  let channels = task.pointee.valueWidth
  ScaledWords.multiply(
    scratch + layout.values, leftStride: layout.valueStride &* 4, rows: channels, words: words, weights,
    columns: panelWidth, product)
  for half in stride(from: 0, to: panelWidth, by: 16) {
    let (factor, scale) = (load(panel + layout.factors + half), load(panel + layout.weightScales + half))
    var (source, target) = (product + half, panel + layout.output + half)
    for channel in 0..<channels {
      let sum = load(source) * (scale * Vector(repeating: scratch[layout.valueScales &+ channel]))
      store(multiplyAdd(load(target), factor, sum), target)
      source += panelWidth
      target += panelWidth
    }
  }
}

/// The online softmax of sixteen queries over a block of keys: scores become weights, rounded as columns.
@inline(never)
private func weigh(
  _ layout: WordAttentionScratch, _ keys: Int, _ half: Int, _ panel: UnsafeMutablePointer<Float>,
  _ scores: UnsafeMutablePointer<Float>, _ keyScales: UnsafePointer<Float>,
  _ weights: UnsafeMutablePointer<Float>
) {
  let zero = Vector(repeating: 0)
  var (max0, max1) = (
    Vector(repeating: -.greatestFiniteMagnitude), Vector(repeating: -.greatestFiniteMagnitude)
  )
  var line = scores
  for key in 0..<keys / 2 {
    max0 = larger(load(line) * Vector(repeating: keyScales[2 &* key]), max0)
    max1 = larger(load(line + panelWidth) * Vector(repeating: keyScales[2 &* key &+ 1]), max1)
    line += 2 &* panelWidth
  }
  if keys % 2 == 1 { max0 = larger(load(line) * Vector(repeating: keyScales[keys &- 1]), max0) }
  let scale = load(panel + layout.scales + half)
  let (old, most) = (load(panel + layout.maxima + half), larger(max0, max1) * scale)
  let new = larger(old, most)

  var (sum, squares) = (zero, zero)
  line = scores
  for key in 0..<keys {
    let score = load(line) * Vector(repeating: keyScales[key])
    let weight = roughPowerOfTwo(multiplyAdd(score, scale, zero - new))
    store(weight, line)
    sum += weight
    squares = multiplyAdd(weight, weight, squares)
    line += panelWidth
  }
  let least = Vector(repeating: 1e-15)
  // The power of the largest score is the largest weight, but for a rounding.
  let weightScale = larger(
    larger(ardf_square_root(squares), least) * Vector(repeating: 1 / ScaledWords.rightNorm),
    roughPowerOfTwo(most - new) * Vector(repeating: 1.001 / ScaledWords.largest))
  let factor = Vector(repeating: 1) / weightScale
  line = scores
  var target = weights
  for _ in 0..<keys / 2 {
    ScaledWords.storePairs(load(line) * factor, load(line + panelWidth) * factor, target)
    line += 2 &* panelWidth
    target += 16
  }
  if keys % 2 == 1 { ScaledWords.storePairs(load(line) * factor, zero, target) }

  let decay = roughPowerOfTwo(old - new)
  store(new, panel + layout.maxima + half)
  store(multiplyAdd(load(panel + layout.sums + half), decay, sum), panel + layout.sums + half)
  store(weightScale, panel + layout.weightScales + half)
  store(decay, panel + layout.factors + half)
}

/// Writes the quotients of output and sum.
@inline(never)
private func endPanel(
  _ task: UnsafePointer<AttentionTask>, _ layout: WordAttentionScratch, _ head: Int, _ index: Int,
  _ panel: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let zero = Vector(repeating: 0)
  for half in stride(from: 0, to: panelWidth, by: 16) {
    let first = index &* panelWidth &+ half
    let used = min(16, task.tokens &- first)
    let share = Vector(repeating: 1) / load(panel + layout.sums + half)
    forEachVector(task.valueWidth) { channel, count in
      let target = task.output + first &* task.outputTokenStride + head &* task.outputHeadStride + channel
      transpose({
        guard $0 < count else { return zero }
        return load(panel + layout.output + (channel &+ $0) &* panelWidth + half) * share
      }) { lane, outputs in
        guard lane < used else { return }
        Float32Element().storeSome(outputs, target + lane &* task.outputTokenStride, count)
      }
    }
  }
}
