import NNRuntime

/// Threads of all lanes: each has its part of them while all are busy, and more while others are idle.
struct LaneThreads: Sendable {
  let pools: [ThreadPool]
  private let threads: Int

  /// As many threads as may work at a time, for at least one lane.
  ///
  /// A lane alone has up to four times its part: each thread has memory of its own in every network.
  init(lanes: Int, threads: Int) {
    self.threads = max(threads, lanes)
    let most = min(threads, 4 * max(1, threads / lanes))
    pools = (0..<lanes).map { _ in ThreadPool(threads: max(1, most)) }
    share(among: lanes)
  }

  /// Gives every lane its part where so many of them are busy.
  func share(among busy: Int) {
    for (lane, pool) in pools.enumerated() {
      let part = threads / busy + (lane < threads % busy ? 1 : 0)
      pool.use(threads: min(part, pool.threads))
    }
  }
}
