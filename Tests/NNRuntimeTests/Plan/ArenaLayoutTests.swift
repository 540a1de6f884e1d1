import FileFormats
import NNRuntime
import Testing
import TestSupport

@Suite("Arena layout")
struct ArenaLayoutTests {
  @Test("buffers that live together never overlap", arguments: 0..<200)
  func disjoint(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let requests = (0..<Int.random(in: 1...60, using: &random)).map { _ in
      let first = Int.random(in: 0..<40, using: &random)
      let last = Int.random(in: first..<min(first + 12, 41), using: &random)
      return ArenaLayout.Request(count: Int.random(in: 1...5000, using: &random), lifetime: first...last)
    }
    let layout = ArenaLayout(requests)
    for i in requests.indices {
      #expect(layout.offsets[i] % ArenaLayout.alignment == 0)
      #expect(layout.offsets[i] + requests[i].count <= layout.count)
      for j in requests.indices where j < i && requests[i].lifetime.overlaps(requests[j].lifetime) {
        let apart =
          layout.offsets[i] + requests[i].count <= layout.offsets[j]
          || layout.offsets[j] + requests[j].count <= layout.offsets[i]
        #expect(apart, "buffers \(i) and \(j) overlap")
      }
    }
    #expect(ArenaLayout(requests) == layout)
  }

  @Test("the block is no smaller than the fullest step and no larger than all buffers")
  func bounds() {
    var random = SplitMix64(seed: 7)
    let requests = (0..<100).map { step in
      ArenaLayout.Request(count: Int.random(in: 1...100, using: &random) * 16, lifetime: step...(step + 2))
    }
    let layout = ArenaLayout(requests)
    let fullest = (0..<102).map { step in
      requests.filter { $0.lifetime.contains(step) }.reduce(0) { $0 + $1.count }
    }.max()!
    #expect(layout.count >= fullest)
    #expect(layout.count <= 2 * fullest, "first-fit by size stays within twice the lower bound here")
  }

  @Test("buffers that never meet share memory")
  func shared() {
    let layout = ArenaLayout([
      .init(count: 160, lifetime: 0...1), .init(count: 160, lifetime: 2...3),
      .init(count: 160, lifetime: 4...5),
    ])
    #expect(layout.count == 160)
  }
}
