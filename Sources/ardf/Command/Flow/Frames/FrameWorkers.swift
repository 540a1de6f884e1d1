import NNRuntime

/// Divides the threads of a run among concurrent frames.
///
/// Concurrent frames scale better than the chunks of one layer,
/// since decoding, drawing and writing then overlap with other frames' networks, and frames do not wait for
/// each other.
///
/// Every worker has its own threads, so that no more threads work than were asked for. A worker needs memory for
/// a run of both networks; that is why their number is limited.
struct FrameWorkers {
  static let most = 4

  /// Threads of each worker; at least one worker.
  let threads: [Int]

  /// Divides `threads` among workers: as many as frames or threads, whichever are fewer, and at most `most`.
  init(threads: Int, frames: Int) {
    let count = max(1, min(threads, frames, Self.most))
    self.threads = (0..<count).map { threads / count + ($0 < threads % count ? 1 : 0) }
  }

  /// Processes positions 0 to `count` - 1, one at a time in each worker, and delivers the results in order.
  ///
  /// The first error ends the work; positions that have begun are finished.
  func inOrder<Result: Sendable>(
    _ count: Int, work: @escaping @Sendable (_ position: Int, _ worker: Int) async throws -> Result,
    deliver: (_ position: Int, Result) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (position: Int, worker: Int, result: Result).self) { group in
      var next = 0
      func start(
        _ worker: Int,
        _ group: inout ThrowingTaskGroup<(position: Int, worker: Int, result: Result), any Error>
      ) {
        guard next < count else { return }
        let position = next
        next += 1
        group.addTask { (position, worker, try await work(position, worker)) }
      }
      for worker in threads.indices { start(worker, &group) }
      var waiting: [Int: Result] = [:]
      var delivered = 0
      while let finished = try await group.next() {
        start(finished.worker, &group)
        waiting[finished.position] = finished.result
        while let result = waiting.removeValue(forKey: delivered) {
          try deliver(delivered, result)
          delivered += 1
        }
      }
    }
  }

  /// Processes the items of `next` until it returns nil, one at a time in each worker, and delivers each result as soon
  /// as it is ready, in any order.
  ///
  /// `next` and `deliver` are called one at a time. The first error ends the work; items that have begun are finished.
  func asCompleted<Piece: Sendable, Result: Sendable>(
    next: () throws -> Piece?,
    work: @escaping @Sendable (_ piece: Piece, _ worker: Int) async throws -> Result,
    deliver: (Result) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (worker: Int, result: Result).self) { group in
      func start(_ worker: Int, _ group: inout ThrowingTaskGroup<(worker: Int, result: Result), any Error>)
        throws
      {
        guard let piece = try next() else { return }
        group.addTask { (worker, try await work(piece, worker)) }
      }
      for worker in threads.indices { try start(worker, &group) }
      while let finished = try await group.next() {
        try deliver(finished.result)
        try start(finished.worker, &group)
      }
    }
  }
}
