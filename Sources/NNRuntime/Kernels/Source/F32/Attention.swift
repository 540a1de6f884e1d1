// Blocked attention with an online softmax: no score matrix ever reaches memory.
//
// A work item is a few panels of queries of one head. Queries lie along the lanes: each panel is transposed
// once into scratch, and the scores of a block of keys are the tile product of the keys with the panel. Maximum,
// exponential and sum then run down the lanes with no work across them. The block's keys and values, which every
// panel of the item reads, are first copied to dense matrices: at the stride of the tokens they would fight for a
// few cache sets.
//
// With m the running maximum of a query, l its running sum and o its running output, a block of scores s
// updates
//   m' = max(m, max s),  p = 2^(s - m'),  l' = l 2^(m - m') + sum p,  o' = o 2^(m - m') + p v
// and the result is o / l. Scores are in units of log2: the queries carry scale * log2(e).

import NNKernelInterface

/// Where the pieces of the scratch memory start, in floats.
private struct AttentionScratch {
  /// For each panel of queries: the transposed queries (key width, panel), the output (panel, padded value
  /// width), running maxima and sums, and the factors of the last block; then the size of them all.
  var queries, output, maxima, sums, factors, panelCount: Int
  /// For a block of keys: scores (keys, panel), keys (keys, padded key width), values (keys, padded value width), row
  /// pointers.
  var scores, keys, values, rows, count: Int
  /// Floats from one row of keys to the next, and of output or values.
  var keyStride, valueStride: Int

  @inline(__always)
  init(_ task: AttentionTask) {
    let panel = InstructionSet.panelWidth
    keyStride = (task.keyWidth + 15) / 16 * 16
    valueStride = (task.valueWidth + 15) / 16 * 16
    queries = 0
    output = queries + task.keyWidth * panel
    maxima = output + panel * valueStride
    sums = maxima + panel
    factors = sums + panel
    panelCount = factors + panel
    scores = panelCount * AttentionScratch.panels
    keys = scores + AttentionScratch.keysTogether * panel
    values = keys + AttentionScratch.keysTogether * keyStride
    rows = values + AttentionScratch.keysTogether * valueStride
    count = rows + 2 * InstructionSet.tileRows
  }

  /// Keys of a block: a multiple of every instruction set's tile rows; their scores and values stay in the L1
  /// cache.
  @inline(__always) static var keysTogether: Int { 84 }

  /// Most panels of a work item: each further one shares the keys and values that the first brought into the cache.
  @inline(__always) static var panels: Int { 8 }

  /// Work items of a head, and the queries of one: as many panels in one as in the next.
  @inline(__always) static func items(_ task: AttentionTask) -> Int {
    (task.tokens + panels * InstructionSet.panelWidth - 1) / (panels * InstructionSet.panelWidth)
  }
  @inline(__always) static func queries(_ task: AttentionTask, _ item: Int) -> (first: Int, last: Int) {
    let width = InstructionSet.panelWidth
    let (all, items) = ((task.tokens + width - 1) / width, items(task))
    return (all * item / items * width, min(all * (item + 1) / items * width, task.tokens))
  }
}

/// Most queries of a work item.
var attentionQueries: Int { AttentionScratch.panels * InstructionSet.panelWidth }

func attentionScratch(_ task: UnsafePointer<AttentionTask>) -> Int { AttentionScratch(task.pointee).count }

func attention(_ taskPointer: UnsafePointer<AttentionTask>, _ share: Share) {
  let scratch = share.scratch
  let task = taskPointer.pointee
  let layout = AttentionScratch(task)
  let items = AttentionScratch.items(task)
  for item in share.items {
    let place = item / items
    let (group, head) = (place / task.heads, place % task.heads)
    let task = task.group(group)
    let (first, last) = AttentionScratch.queries(task, item % items)
    forEachPanel(layout, first, last, scratch) { query, used, columns, panel in
      beginPanel(task, layout, head, query, used, columns, panel)
    }
    var key = 0
    while key < task.keyTokens {
      let keys = min(AttentionScratch.keysTogether, task.keyTokens - key)
      copyRows(
        task.key + head * task.keyHeadStride + key * task.keyTokenStride, stride: task.keyTokenStride,
        width: task.keyWidth, rows: keys, to: scratch + layout.keys, stride: layout.keyStride)
      copyRows(
        task.value + head * task.valueHeadStride + key * task.valueTokenStride, stride: task.valueTokenStride,
        width: task.valueWidth, rows: keys, to: scratch + layout.values, stride: layout.valueStride)
      forEachPanel(layout, first, last, scratch) { query, used, columns, panel in
        scoreKeys(task, layout, keys, columns, panel, scratch)
        if let addends = task.addends {
          add(
            addends + head * task.addendHeadStride + key * task.addendKeyStride + query,
            stride: task.addendKeyStride, used: used, to: scratch + layout.scores, columns: columns,
            keys: keys)
        }
        var column = 0
        while column < columns {
          exponentiate(
            scratch + layout.scores + column, stride: columns, keys: keys,
            maxima: panel + layout.maxima + column, sums: panel + layout.sums + column,
            factors: panel + layout.factors + column)
          column &+= 16
        }
        addValues(layout, keys, columns, panel, scratch)
      }
      key += keys
    }
    forEachPanel(layout, first, last, scratch) { query, used, _, panel in
      endPanel(task, layout, head, query, used, panel)
    }
  }
}

extension AttentionTask {
  /// The heads of one group.
  @inline(__always)
  fileprivate func group(_ index: Int) -> AttentionTask {
    var task = self
    task.query += index * queryGroupStride
    task.key += index * keyGroupStride
    task.value += index * valueGroupStride
    task.output += index * outputGroupStride
    if let addends { task.addends = addends + index * addendGroupStride }
    return task
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

/// Calls `body(first query, queries, columns, state)` for each panel of queries `first..<last`.
@inline(__always)
private func forEachPanel(
  _ layout: AttentionScratch, _ first: Int, _ last: Int, _ scratch: UnsafeMutablePointer<Float>,
  _ body: (Int, Int, Int, UnsafeMutablePointer<Float>) -> Void
) {
  var query = first
  var panel = scratch
  while query < last {
    let used = min(InstructionSet.panelWidth, last - query)
    body(query, used, used > 16 ? InstructionSet.panelWidth : 16, panel)
    query += InstructionSet.panelWidth
    panel += layout.panelCount
  }
}

/// Transposes the queries and clears the running state.
@inline(__always)
private func beginPanel(
  _ task: AttentionTask, _ layout: AttentionScratch, _ head: Int, _ first: Int, _ used: Int, _ columns: Int,
  _ panel: UnsafeMutablePointer<Float>
) {
  transposeQueries(task, head, first, used, columns, panel + layout.queries)
  var column = 0
  while column < columns {
    store(Vector(repeating: -.greatestFiniteMagnitude), panel + layout.maxima + column)
    store(Vector(repeating: 0), panel + layout.sums + column)
    column += 16
  }
  var index = 0
  while index < columns * layout.valueStride {
    store(Vector(repeating: 0), panel + layout.output + index)
    index += 16
  }
}

/// Writes the quotients of output and sum.
@inline(__always)
private func endPanel(
  _ task: AttentionTask, _ layout: AttentionScratch, _ head: Int, _ first: Int, _ used: Int,
  _ panel: UnsafeMutablePointer<Float>
) {
  for query in 0..<used {
    let target = task.output + (first + query) * task.outputTokenStride + head * task.outputHeadStride
    let source = panel + layout.output + query * layout.valueStride
    let factor = Vector(repeating: 1 / panel[layout.sums + query])
    var channel = 0
    while channel + 16 <= task.valueWidth {
      store(load(source + channel) * factor, target + channel)
      channel += 16
    }
    if channel < task.valueWidth {
      storePartial(load(source + channel) * factor, target + channel, count: task.valueWidth - channel)
    }
  }
}

/// Queries times scale * log2(e), transposed to (key width, columns); the last query is repeated in the lanes
/// after it.
@inline(__always)
private func transposeQueries(
  _ task: AttentionTask, _ head: Int, _ first: Int, _ used: Int, _ columns: Int,
  _ target: UnsafeMutablePointer<Float>
) {
  let factor = task.scale * 1.442_695_040_888_963_4
  let queries = task.query + head * task.queryHeadStride + first * task.tokenStride
  // A line of each query before the next line of any: many loads at a time are under way.
  for line in stride(from: 0, to: task.keyWidth, by: 16) {
    for column in 0..<columns {
      let query = queries + min(column, used - 1) * task.tokenStride
      for k in line..<min(line + 16, task.keyWidth) { target[k &* columns &+ column] = query[k] * factor }
    }
  }
}

/// scores[key, query] for a block of keys.
@inline(__always)
private func scoreKeys(
  _ task: AttentionTask, _ layout: AttentionScratch, _ keys: Int, _ columns: Int,
  _ panel: UnsafePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let rows = UnsafeMutableRawPointer(scratch + layout.rows).assumingMemoryBound(to: UnsafePointer<Float>.self)
  var key = 0
  while key < keys {
    let count = min(InstructionSet.tileRows, keys - key)
    for row in 0..<count { rows[row] = UnsafePointer(scratch + layout.keys + (key + row) * layout.keyStride) }
    multiplyTile(
      (
        segments: 1, depth: task.keyWidth, rows: UnsafePointer(rows), rowCapacity: InstructionSet.tileRows,
        columns: panel + layout.queries, columnStride: columns,
        output: scratch + layout.scores + key * columns, outputStride: columns, ahead: 0,
        streamsColumns: false
      ),
      rows: count, columns: columns)
    key += count
  }
}

/// The online softmax of sixteen queries over a block of keys: scores become weights in place.
@inline(never)
private func exponentiate(
  _ scores: UnsafeMutablePointer<Float>, stride: Int, keys: Int, maxima: UnsafeMutablePointer<Float>,
  sums: UnsafeMutablePointer<Float>, factors: UnsafeMutablePointer<Float>
) {
  let old = load(maxima)
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
  store(new, maxima)
  store(multiplyAdd(load(sums), factor, sum), sums)
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

/// output[query] = output[query] * factors[query] + sum over the block's keys of weights * values.
@inline(__always)
private func addValues(
  _ layout: AttentionScratch, _ keys: Int, _ columns: Int, _ panel: UnsafeMutablePointer<Float>,
  _ scratch: UnsafePointer<Float>
) {
  let stride = layout.valueStride
  var channel = 0
  while channel < stride {
    let width = min(InstructionSet.panelWidth, stride - channel)
    var query = 0
    while query < columns {
      let rows = weightedTileRows(remaining: columns - query)
      addWeightedRows(
        (
          depth: keys, weights: UnsafePointer(scratch + layout.scores + query), weightStride: columns,
          columns: scratch + layout.values + channel, columnStride: stride,
          factors: UnsafePointer(panel + layout.factors + query),
          output: panel + layout.output + query * stride + channel, outputStride: stride
        ),
        rows: rows, columns: width)
      query += rows
    }
    channel += width
  }
}
