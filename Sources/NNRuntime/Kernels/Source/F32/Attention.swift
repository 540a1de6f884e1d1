// Attention of floats: the scores of a block of keys are the tile product of the keys with a panel of transposed queries, and
// become weights in place. The block's keys and values are copied to dense matrices: at the stride of the tokens they would
// fight for a few cache sets.

import NNKernelInterface

/// Where the pieces of the scratch memory start, in floats.
private struct AttentionScratch {
  /// For each panel of queries: the transposed queries (key width, panel), the output (panel, padded value
  /// width), running maxima and sums, and the factors of the last block; then the size of them all.
  var queries, output, maxima, factors, panelCount: Int
  /// For a block of keys: scores (keys, panel), keys (keys, padded key width), values (keys, padded value width), row
  /// pointers.
  var scores, keys, values, rows, count: Int
  /// Floats from one row of keys to the next, and of output or values.
  var keyStride, valueStride: Int

  @inline(__always)
  init(_ task: AttentionTask) {
    let (panel, mostKeys) = (InstructionSet.panelWidth, FloatAttention.mostKeys)
    keyStride = (task.keyWidth + 15) / 16 * 16
    valueStride = (task.valueWidth + 15) / 16 * 16
    queries = 0
    output = queries + task.keyWidth * panel
    maxima = output + panel * valueStride
    factors = maxima + 2 * panel
    panelCount = factors + panel
    scores = panelCount * FloatAttention.mostPanels
    keys = scores + mostKeys * panel
    values = keys + mostKeys * keyStride
    rows = values + mostKeys * valueStride
    count = rows + 2 * InstructionSet.tileRows
  }
}

/// Most queries of a work item.
var attentionQueries: Int { FloatAttention.mostQueries }

func attentionScratch(_ task: UnsafePointer<AttentionTask>) -> Int { AttentionScratch(task.pointee).count }

func attention(_ task: UnsafePointer<AttentionTask>, _ share: Share) {
  FloatAttention(task: task, scratch: share.scratch, layout: AttentionScratch(task.pointee)).compute(
    share.items)
}

/// Attention with products of floats.
private struct FloatAttention: BlockedAttention {
  let task: UnsafePointer<AttentionTask>
  let scratch: UnsafeMutablePointer<Float>
  let layout: AttentionScratch
  var head = AttentionHead()

  /// A multiple of every instruction set's tile rows; scores and values of so many keys stay in the L1 cache.
  @inline(__always) static var mostKeys: Int { 84 }
  /// Each further panel shares the keys and values that the first brought into the cache.
  @inline(__always) static var mostPanels: Int { 8 }

  @inline(__always) var panelCount: Int { layout.panelCount }
  @inline(__always) var maxima: Int { layout.maxima }

  /// Lanes of a panel that are computed.
  @inline(__always)
  func columns(_ panel: QueryPanel) -> Int { panel.count > 16 ? InstructionSet.panelWidth : 16 }

  @inline(__always) mutating func begin(_ head: AttentionHead) { self.head = head }

  /// Queries times scale * log2(e), transposed to (key width, columns); the last query is repeated in the lanes
  /// after it.
  @inline(__always)
  func beginPanel(_ panel: QueryPanel) {
    let (task, columns) = (task.pointee, columns(panel))
    let factor = task.scale * 1.442_695_040_888_963_4
    let queries = task.query + (head.query + panel.first * task.tokenStride)
    let target = panel.state + layout.queries
    // A line of each query before the next line of any: many loads at a time are under way.
    for line in stride(from: 0, to: task.keyWidth, by: 16) {
      for column in 0..<columns {
        let query = queries + min(column, panel.count - 1) * task.tokenStride
        for k in line..<min(line + 16, task.keyWidth) { target[k &* columns &+ column] = query[k] * factor }
      }
    }
    storeZeros(panel.state + layout.output, count: columns * layout.valueStride)
  }

  @inline(__always)
  func copy(_ keys: KeyBlock) {
    let task = task.pointee
    copyRows(
      task.key + (head.key + keys.first * task.keyTokenStride), stride: task.keyTokenStride,
      width: task.keyWidth, rows: keys.count, to: scratch + layout.keys, stride: layout.keyStride)
    copyRows(
      task.value + (head.value + keys.first * task.valueTokenStride), stride: task.valueTokenStride,
      width: task.valueWidth, rows: keys.count, to: scratch + layout.values, stride: layout.valueStride)
  }

  @inline(__always)
  func attend(_ panel: QueryPanel, to keys: KeyBlock) {
    let columns = columns(panel)
    scoreKeys(panel, keys.count)
    if let addends = task.pointee.addends {
      let stride = task.pointee.addendKeyStride
      add(
        addends + (head.addends + keys.first * stride + panel.first), stride: stride, used: panel.count,
        to: scratch + layout.scores, columns: columns, keys: keys.count)
    }
    var column = 0
    while column < columns {
      exponentiate(
        scratch + layout.scores + column, stride: columns, keys: keys.count,
        softmax: softmax(panel, column), factors: panel.state + layout.factors + column)
      column &+= 16
    }
    addValues(panel, keys.count)
  }

  /// scores[key, query] for a block of keys.
  @inline(__always)
  func scoreKeys(_ panel: QueryPanel, _ keys: Int) {
    let columns = columns(panel)
    let rows = UnsafeMutableRawPointer(scratch + layout.rows).assumingMemoryBound(
      to: UnsafePointer<Float>.self)
    var key = 0
    while key < keys {
      let count = min(InstructionSet.tileRows, keys - key)
      for row in 0..<count {
        rows[row] = UnsafePointer(scratch + layout.keys + (key + row) * layout.keyStride)
      }
      multiplyTile(
        (
          segments: 1, depth: task.pointee.keyWidth, rows: UnsafePointer(rows),
          rowCapacity: InstructionSet.tileRows,
          columns: UnsafePointer(panel.state + layout.queries), columnStride: columns,
          output: scratch + layout.scores + key * columns, outputStride: columns, ahead: 0,
          streamsColumns: false
        ),
        rows: count, columns: columns)
      key += count
    }
  }

  /// output[query] = output[query] * factors[query] + sum over the block's keys of weights * values.
  @inline(__always)
  func addValues(_ panel: QueryPanel, _ keys: Int) {
    let (columns, stride) = (columns(panel), layout.valueStride)
    var channel = 0
    while channel < stride {
      let width = min(InstructionSet.panelWidth, stride - channel)
      var query = 0
      while query < columns {
        let rows = weightedTileRows(remaining: columns - query)
        addWeightedRows(
          (
            depth: keys, weights: UnsafePointer(scratch + layout.scores + query), weightStride: columns,
            columns: UnsafePointer(scratch + layout.values + channel), columnStride: stride,
            factors: UnsafePointer(panel.state + layout.factors + query),
            output: panel.state + layout.output + query * stride + channel, outputStride: stride
          ),
          rows: rows, columns: width)
        query += rows
      }
      channel += width
    }
  }

  @inline(__always)
  func endPanel(_ panel: QueryPanel) {
    let task = task.pointee
    let quotients = softmax(panel, 0).sums
    for query in 0..<panel.count {
      let target = task.output + (head.output + (panel.first + query) * task.outputTokenStride)
      let source = panel.state + layout.output + query * layout.valueStride
      let factor = Vector(repeating: quotients[query])
      forEachVector(task.valueWidth) { channel, count in
        Float32Element().storeSome(load(source + channel) * factor, target + channel, count)
      }
    }
  }
}

/// Adds to the scores of a block of keys, which are in units of log2.
@inline(never)
private func add(
  _ addends: UnsafePointer<Float>, stride: Int, used: Int, to scores: UnsafeMutablePointer<Float>,
  columns: Int, keys: Int
) {
  let unit = Vector(repeating: 1.442_695_040_888_963_4)
  for key in 0..<keys {
    let (source, target) = (addends + key &* stride, scores + key &* columns)
    var query = 0
    while query &+ 16 <= used {
      store(multiplyAdd(load(source + query), unit, load(target + query)), target + query)
      query &+= 16
    }
    if query < used {
      let rest = loadPartial(source + query, count: used - query)
      store(multiplyAdd(rest, unit, load(target + query)), target + query)
    }
  }
}

/// The online softmax of sixteen queries over a block of keys: scores become weights in place.
@inline(never)
private func exponentiate(
  _ scores: UnsafeMutablePointer<Float>, stride: Int, keys: Int, softmax: OnlineSoftmax,
  factors: UnsafeMutablePointer<Float>
) {
  let old = load(softmax.maxima)
  let (second, third, fourth) = (stride, 2 &* stride, 3 &* stride)
  var (max0, max1, max2, max3) = (old, old, old, old)
  var line = scores
  for _ in 0..<keys / 4 {
    max0 = larger(load(line), max0)
    max1 = larger(load(line + second), max1)
    max2 = larger(load(line + third), max2)
    max3 = larger(load(line + fourth), max3)
    line += 4 &* stride
  }
  for _ in 0..<keys % 4 {
    max0 = larger(load(line), max0)
    line += stride
  }
  let new = larger(larger(max0, max1), larger(max2, max3))

  // Several weights a step would be taken apart, lane by lane, where registers are few.
  var sum = Vector(repeating: 0)
  line = scores
  for _ in 0..<keys {
    let weight = powerOfTwo(load(line) - new)
    store(weight, line)
    sum += weight
    line += stride
  }
  let factor = powerOfTwo(old - new)
  softmax.add(sum, maximum: new, decay: factor)
  store(factor, factors)
}

/// Copies the keys or values of a block, rows padded with zeros to whole vectors.
@inline(never)
private func copyRows(
  _ source: UnsafePointer<Float>, stride sourceStride: Int, width: Int, rows: Int,
  to target: UnsafeMutablePointer<Float>, stride targetStride: Int
) {
  for row in 0..<rows {
    let (from, to) = (source + row &* sourceStride, target + row &* targetStride)
    var channel = 0
    while channel &+ 16 <= width {
      store(load(from + channel), to + channel)
      channel &+= 16
    }
    if channel < width { store(loadPartial(from + channel, count: width - channel), to + channel) }
  }
}
