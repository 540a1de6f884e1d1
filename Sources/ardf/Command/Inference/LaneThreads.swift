import NNRuntime

/// The threads of all lanes: each lane has an equal part while all are busy, and more while others are idle.
package struct LaneThreads: Sendable {
  package let pools: [ThreadPool]
  private let threads: Int

  /// The total number of threads, for at least one lane.
  ///
  /// A lane alone has up to four times its part: each thread has memory of its own in every network.
  package init(lanes: Int, threads: Int) {
    self.threads = threads
    let most = min(threads, 4 * max(1, threads / lanes))
    pools = (0..<lanes).map { _ in ThreadPool(threads: most) }
    share(among: lanes)
  }

  /// Sets the lanes' threads for a number of busy lanes.
  func share(among busy: Int) {
    let part = Self.part(of: threads, busy: busy)
    for pool in pools { pool.use(threads: min(part, pool.threads)) }
  }

  /// Threads of each busy lane, at least one.
  ///
  /// A remainder stays idle, since any lane may be idle next.
  package static func part(of threads: Int, busy: Int) -> Int { max(1, threads / busy) }
}
