import NNRuntime

/// Threads of all lanes: each has its part of them while all are busy, and more while others are idle.
package struct LaneThreads: Sendable {
  package let pools: [ThreadPool]
  private let threads: Int

  /// As many threads as may work at a time, for at least one lane.
  ///
  /// A lane alone has up to four times its part: each thread has memory of its own in every network.
  package init(lanes: Int, threads: Int) {
    self.threads = threads
    let most = min(threads, 4 * max(1, threads / lanes))
    pools = (0..<lanes).map { _ in ThreadPool(threads: most) }
    share(among: lanes)
  }

  /// Gives every lane its part where so many of them are busy.
  func share(among busy: Int) {
    let part = Self.part(of: threads, busy: busy)
    for pool in pools { pool.use(threads: min(part, pool.threads)) }
  }

  /// The threads of each of so many busy lanes, at least one; those that are left over stay idle rather than with a lane that
  /// may be.
  package static func part(of threads: Int, busy: Int) -> Int { max(1, threads / busy) }
}
