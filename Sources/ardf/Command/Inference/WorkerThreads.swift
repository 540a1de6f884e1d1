import NNRuntime

/// The threads of all workers: each worker has an equal part while all are busy, and more while others are idle.
package struct WorkerThreads: Sendable {
  package let pools: [ThreadPool]
  private let threads: Int

  /// The total number of threads, for at least one worker.
  ///
  /// A worker alone has up to four times its part: each thread has memory of its own in every network.
  package init(workers: Int, threads: Int) {
    self.threads = threads
    let most = min(threads, 4 * max(1, threads / workers))
    pools = (0..<workers).map { _ in ThreadPool(threads: most) }
    share(among: workers)
  }

  /// Sets the workers' threads for a number of busy workers.
  func share(among busy: Int) {
    let part = Self.part(of: threads, busy: busy)
    for pool in pools { pool.use(threads: min(part, pool.threads)) }
  }

  /// Threads of each busy worker, at least one.
  ///
  /// A remainder stays idle, since any worker may be idle next.
  package static func part(of threads: Int, busy: Int) -> Int { max(1, threads / busy) }
}
