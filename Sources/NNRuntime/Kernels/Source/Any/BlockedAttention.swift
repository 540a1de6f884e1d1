// Blocked attention with an online softmax: no score matrix ever reaches memory.
//
// A work item is a few panels of queries of one head. Queries lie along the lanes, so that maximum, exponential and sum of
// scores run down the lanes with no work across them. Keys and values of a block are copied once for all panels of the item.
//
// With m the running maximum of a query, l its running sum and o its running output, a block of scores s updates
//   m' = max(m, max s),  p = 2^(s - m'),  l' = l 2^(m - m') + sum p,  o' = o 2^(m - m') + p v
// and the result is o / l. Scores are in units of log2: they carry log2(e).

import NNKernelInterface

/// A kernel of attention: how queries, keys and values are copied, and how they are multiplied.
protocol BlockedAttention {
  /// Most keys of a block, and most panels of a work item.
  static var mostKeys: Int { get }
  static var mostPanels: Int { get }
  var task: UnsafePointer<AttentionTask> { get }
  /// Scratch memory, which begins with the panels' states.
  var scratch: UnsafeMutablePointer<Float> { get }
  /// Floats of a panel's state, and where the maxima and then the sums of its queries lie in it.
  var panelCount: Int { get }
  var maxima: Int { get }

  /// Begins a head.
  mutating func begin(_ head: AttentionHead)
  /// Copies the queries of a panel and clears its output.
  func beginPanel(_ panel: QueryPanel)
  /// Copies keys and their values.
  mutating func copy(_ keys: KeyBlock)
  /// Adds the copied keys to the running state of a panel.
  func attend(_ panel: QueryPanel, to keys: KeyBlock)
  /// Writes the output of a panel times the quotients 1 / l, which lie where the sums were.
  func endPanel(_ panel: QueryPanel)
}

extension BlockedAttention {
  /// Most queries of a work item.
  @inline(__always) static var mostQueries: Int { mostPanels &* InstructionSet.panelWidth }

  /// Computes work items; those of a head share its panels evenly.
  @inline(__always)
  func compute(_ items: Range<Int>) {
    var kernel = self
    let panels = (task.pointee.tokens &+ InstructionSet.panelWidth &- 1) / InstructionSet.panelWidth
    let shares = (panels &+ Self.mostPanels &- 1) / Self.mostPanels
    for item in items {
      let (head, share) = (item / shares, item % shares)
      let (first, last) = (panels &* share / shares, panels &* (share &+ 1) / shares)
      kernel.begin(AttentionHead(task.pointee, head))
      for index in first..<last {
        let panel = panel(index, first)
        for lane in stride(from: 0, to: InstructionSet.panelWidth, by: 16) { softmax(panel, lane).begin() }
        kernel.beginPanel(panel)
      }
      var key = 0
      while key < task.pointee.keyTokens {
        let keys = KeyBlock(first: key, count: min(Self.mostKeys, task.pointee.keyTokens &- key))
        kernel.copy(keys)
        for index in first..<last { kernel.attend(panel(index, first), to: keys) }
        key &+= keys.count
      }
      for index in first..<last {
        let panel = panel(index, first)
        for lane in stride(from: 0, to: InstructionSet.panelWidth, by: 16) { softmax(panel, lane).end() }
        kernel.endPanel(panel)
      }
    }
  }

  /// The panel with this index, of a work item whose panels begin with `first`.
  @inline(__always)
  private func panel(_ index: Int, _ first: Int) -> QueryPanel {
    let query = index &* InstructionSet.panelWidth
    return QueryPanel(
      first: query, count: min(InstructionSet.panelWidth, task.pointee.tokens &- query),
      state: scratch + (index &- first) &* panelCount)
  }

  /// The softmax of the sixteen queries of a panel from `lane` on.
  @inline(__always)
  func softmax(_ panel: QueryPanel, _ lane: Int) -> OnlineSoftmax {
    OnlineSoftmax(maxima: panel.state + (maxima &+ lane))
  }
}

/// Queries side by side, a lane each.
struct QueryPanel {
  /// The first query, and how many there are; the lanes after them have none.
  var first, count: Int
  /// The panel's part of the scratch memory.
  var state: UnsafeMutablePointer<Float>
}

/// Keys one after another.
struct KeyBlock {
  var first, count: Int
}

/// Where a head of a group begins, in elements after the first of each map.
struct AttentionHead {
  var query = 0, key = 0, value = 0, output = 0, addends = 0
}

extension AttentionHead {
  /// The head with this index, all heads of a group before those of the next.
  @inline(__always)
  init(_ task: AttentionTask, _ index: Int) {
    let (group, head) = (index / task.heads, index % task.heads)
    query = group &* task.queryGroupStride &+ head &* task.queryHeadStride
    key = group &* task.keyGroupStride &+ head &* task.keyHeadStride
    value = group &* task.valueGroupStride &+ head &* task.valueHeadStride
    output = group &* task.outputGroupStride &+ head &* task.outputHeadStride
    addends = group &* task.addendGroupStride &+ head &* task.addendHeadStride
  }
}

/// The running maxima m of sixteen queries and, a panel's width after them, their running sums l.
struct OnlineSoftmax {
  var maxima: UnsafeMutablePointer<Float>

  @inline(__always) var sums: UnsafeMutablePointer<Float> { maxima + InstructionSet.panelWidth }

  /// No scores are added yet.
  @inline(__always)
  func begin() {
    store(Vector(repeating: -.greatestFiniteMagnitude), maxima)
    store(Vector(repeating: 0), sums)
  }

  /// Adds scores with weights that sum up to `sum`, relative to the new maxima; `decay` is 2^(m - m').
  @inline(__always)
  func add(_ sum: Vector, maximum: Vector, decay: Vector) {
    store(maximum, maxima)
    store(multiplyAdd(load(sums), decay, sum), sums)
  }

  /// Quotients 1 / l take the place of the sums.
  @inline(__always) func end() { store(Vector(repeating: 1) / load(sums), sums) }
}

/// Writes zeros, sixteen at a time.
@inline(__always)
func storeZeros(_ target: UnsafeMutablePointer<Float>, count: Int) {
  for index in stride(from: 0, to: count, by: 16) { store(Vector(repeating: 0), target + index) }
}
