// Attention with products of 16-bit integers:
//   scores (keys x queries) = keys * transposed queries, and
//   output (channels x queries) = transposed values * weights,
// so that the weights come out as columns of the second product. Keys and values of a block are rounded once for all panels;
// each key, query, channel of a block of values and query's weights for a block has a scale of its own.

import CKernelShims
import NNKernelInterface

/// Adds the kernel of attention that multiplies integers of 16 bits, between maps of floats.
func addWordAttention(to catalogue: inout KernelCatalogue, by permit: Permit) {
  catalogue.add(
    "attention-i16", of: AttentionTask.self, products: .int16, maps: .float32,
    together: WordAttention.mostQueries,
    tolerance: .integers, by: permit, scratch: { WordAttentionScratch($0.pointee).count },
    run: {
      WordAttention(task: $0, scratch: $1.scratch, layout: WordAttentionScratch($0.pointee)).compute($1.items)
    })
}

/// Where the pieces of the scratch memory start, in floats.
private struct WordAttentionScratch {
  /// Words of a key or query, and floats from one rounded key to the next, and from one rounded channel of values.
  var words, keyStride, valueStride: Int
  /// For each panel of queries: the rounded queries and their scales, the output (value width, panel), maxima and sums, and
  /// what the last block's weights and sums before it are multiplied by; then the size of them all.
  var scales, output, maxima, weightScales, factors, panelCount: Int
  /// For a block of keys: keys and values with their scales, scores, weights, a product; and the size of it all.
  var keys, keyScales, values, valueScales, scores, weights, product, count: Int

  @inline(__always)
  init(_ task: AttentionTask) {
    let block = WordAttention.mostKeys
    words = SixteenBits.words(task.keyWidth)
    // A line more, so that rows fall into different sets of the first-level cache.
    keyStride = (task.keyWidth &+ 31) / 32 &* 16 &+ 16
    valueStride = block / 2 &+ 16
    scales = words &* panelWidth
    output = scales &+ panelWidth
    maxima = output &+ task.valueWidth &* panelWidth
    weightScales = maxima &+ 2 &* panelWidth
    factors = weightScales &+ panelWidth
    panelCount = factors &+ panelWidth
    keys = panelCount &* WordAttention.mostPanels
    keyScales = keys &+ block &* keyStride
    values = keyScales &+ block
    valueScales = values &+ task.valueWidth &* valueStride
    scores = valueScales &+ (task.valueWidth &+ 15) / 16 &* 16
    weights = scores &+ block &* panelWidth
    product = weights &+ block / 2 &* panelWidth
    // Transposed floats lie where products will: of queries, or of sixteen channels of values.
    count = product &+ max(task.valueWidth &* panelWidth, (task.keyWidth &+ 15) / 16 &* 256, 16 &* block)
  }
}

/// Attention with products of 16-bit integers.
private struct WordAttention: BlockedAttention {
  let task: UnsafePointer<AttentionTask>
  let scratch: UnsafeMutablePointer<Float>
  let layout: WordAttentionScratch
  var head = AttentionHead()

  /// A weight far below its block's largest is rounded to none, those of other blocks are not.
  @inline(__always) static var mostKeys: Int { 128 }
  /// As many as a rounded copy of the keys is worth: 704 queries.
  @inline(__always) static var mostPanels: Int { 704 / panelWidth }

  @inline(__always) var panelCount: Int { layout.panelCount }
  @inline(__always) var maxima: Int { layout.maxima }

  @inline(__always) mutating func begin(_ head: AttentionHead) { self.head = head }

  /// Rounds the queries of a panel, zeros after the last.
  @inline(never)
  func beginPanel(_ panel: QueryPanel) {
    let task = task.pointee
    let queries = task.query + (head.query &+ panel.first &* task.tokenStride)
    let transposed = scratch + layout.product
    let zero = Vector(repeating: 0)
    for half in stride(from: 0, to: panelWidth, by: 16) {
      var (squares, largest) = (zero, zero)
      forEachVector(task.keyWidth) { channel, count in
        transpose({
          guard half &+ $0 < panel.count else { return zero }
          return Float32Element().loadSome(queries + (half &+ $0) &* task.tokenStride + channel, count)
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
      store(
        told * Vector(repeating: abs(task.scale) * 1.442_695_04), panel.state + (layout.scales &+ half))
      for word in 0..<layout.words {
        let pair = transposed + word &* 32
        ScaledWords.storePairs(
          load(pair) * factor, load(pair + 16) * factor,
          panel.state + (half &* layout.words &+ word &* 16))
      }
    }
    storeZeros(panel.state + layout.output, count: task.valueWidth &* panelWidth)
  }

  /// Rounds a block of keys, each a row, and of values, each channel a row.
  @inline(__always)
  func copy(_ keys: KeyBlock) {
    roundKeys(keys)
    roundValues(keys)
  }

  @inline(never)
  func roundKeys(_ keys: KeyBlock) {
    let task = task.pointee
    for key in 0..<keys.count {
      SixteenBits.roundRow(
        Float32Element(), task.key + (head.key &+ (keys.first &+ key) &* task.tokenStride), task.keyWidth,
        scratch + layout.keys + key &* layout.keyStride, scratch + layout.keyScales + key, stride: 0)
    }
  }

  /// Zeros follow the last key.
  @inline(never)
  func roundValues(_ keys: KeyBlock) {
    let task = task.pointee
    let values = task.value + (head.value &+ keys.first &* task.tokenStride)
    let (transposed, stride) = (scratch + layout.product, Self.mostKeys)
    let padded = (keys.count &+ 15) / 16 &* 16
    forEachVector(task.valueWidth) { channel, channels in
      for key in Swift.stride(from: 0, to: padded, by: 16) {
        transpose({
          guard key &+ $0 < keys.count else { return Vector(repeating: 0) }
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

  @inline(never)
  func attend(_ panel: QueryPanel, to keys: KeyBlock) {
    ScaledWords.multiply(
      scratch + layout.keys, leftStride: layout.keyStride &* 4, rows: keys.count, words: layout.words,
      panel.state, columns: panelWidth, scratch + layout.scores)
    for half in stride(from: 0, to: panelWidth, by: 16) { weigh(panel, half, keys.count) }
    let (channels, product) = (task.pointee.valueWidth, scratch + layout.product)
    ScaledWords.multiply(
      scratch + layout.values, leftStride: layout.valueStride &* 4, rows: channels,
      words: SixteenBits.words(keys.count), scratch + layout.weights, columns: panelWidth, product)
    let scales = scratch + layout.valueScales
    for half in stride(from: 0, to: panelWidth, by: 16) {
      let factor = load(panel.state + (layout.factors &+ half))
      let scale = load(panel.state + (layout.weightScales &+ half))
      var (source, target) = (product + half, panel.state + (layout.output &+ half))
      for channel in 0..<channels {
        let sum = load(source) * (scale * Vector(repeating: scales[channel]))
        store(multiplyAdd(load(target), factor, sum), target)
        source += panelWidth
        target += panelWidth
      }
    }
  }

  /// Scores of the sixteen queries from `half` on become weights, rounded as columns.
  @inline(never)
  func weigh(_ panel: QueryPanel, _ half: Int, _ keys: Int) {
    let (scores, keyScales) = (scratch + (layout.scores &+ half), scratch + layout.keyScales)
    let softmax = softmax(panel, half)
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
    let scale = load(panel.state + (layout.scales &+ half))
    let (old, most) = (load(softmax.maxima), larger(max0, max1) * scale)
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
    var target = scratch + (layout.weights &+ half &* SixteenBits.words(keys))
    for _ in 0..<keys / 2 {
      ScaledWords.storePairs(load(line) * factor, load(line + panelWidth) * factor, target)
      line += 2 &* panelWidth
      target += 16
    }
    if keys % 2 == 1 { ScaledWords.storePairs(load(line) * factor, zero, target) }

    let decay = roughPowerOfTwo(old - new)
    softmax.add(sum, maximum: new, decay: decay)
    store(weightScale, panel.state + (layout.weightScales &+ half))
    store(decay, panel.state + (layout.factors &+ half))
  }

  @inline(never)
  func endPanel(_ panel: QueryPanel) {
    let task = task.pointee
    let zero = Vector(repeating: 0)
    for half in stride(from: 0, to: panelWidth, by: 16) {
      let first = task.output + (head.output &+ (panel.first &+ half) &* task.outputTokenStride)
      let sums = panel.state + (layout.output &+ half)
      let (used, quotients) = (min(16, panel.count &- half), load(softmax(panel, half).sums))
      forEachVector(task.valueWidth) { channel, count in
        transpose({
          guard $0 < count else { return zero }
          return load(sums + (channel &+ $0) &* panelWidth) * quotients
        }) { lane, outputs in
          guard lane < used else { return }
          Float32Element().storeSome(outputs, first + (lane &* task.outputTokenStride &+ channel), count)
        }
      }
    }
  }
}
