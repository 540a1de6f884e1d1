/// Where the buffers of a plan lie in one block of memory: a pure function from sizes and lifetimes to
/// offsets, such that buffers that live at the same time don't overlap.
package struct ArenaLayout: Equatable, Sendable {
  /// A buffer and the steps during which it holds something, first write to last read inclusive.
  package struct Request: Equatable, Sendable {
    /// Floats that the buffer needs.
    package var count: Int
    /// Steps.
    package var lifetime: ClosedRange<Int>

    /// A buffer of `count` floats.
    package init(count: Int, lifetime: ClosedRange<Int>) {
      self.count = count
      self.lifetime = lifetime
    }
  }

  /// Every offset is a multiple of this many floats: a cache line.
  package static let alignment = 16

  /// First float of each buffer, in the order of the requests.
  package let offsets: [Int]
  /// Floats of the whole block.
  package let count: Int

  /// Lays the largest buffers out first, each into the tightest gap that its lifetime leaves.
  package init(_ requests: [Request]) {
    var offsets = [Int](repeating: 0, count: requests.count)
    var placed: [Int] = []
    var end = 0
    let order = requests.indices.sorted {
      (requests[$1].count, $0) < (requests[$0].count, $1)
    }
    for index in order {
      let request = requests[index]
      let size = Self.aligned(request.count)
      let neighbors = placed.filter { requests[$0].lifetime.overlaps(request.lifetime) }
        .sorted { offsets[$0] < offsets[$1] }
      var best: (offset: Int, gap: Int)?
      var cursor = 0
      for neighbor in neighbors {
        let gap = offsets[neighbor] - cursor
        if gap >= size, best.map({ gap < $0.gap }) ?? true { best = (cursor, gap) }
        cursor = max(cursor, offsets[neighbor] + Self.aligned(requests[neighbor].count))
      }
      offsets[index] = best?.offset ?? cursor
      placed.append(index)
      end = max(end, offsets[index] + size)
    }
    self.offsets = offsets
    self.count = end
  }

  private static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }
}
