import NNRuntime

/// Divides the threads of a run among concurrent frames.
///
/// Concurrent frames scale better than the chunks of one layer,
/// since decoding, drawing and writing then overlap with other frames' networks, and frames do not wait for
/// each other.
///
/// Every lane has its own threads, so that no more threads work than were asked for. A lane needs memory for
/// a run of both networks; that is why their number is limited.
struct Lanes {
  static let most = 4

  /// Threads of each lane; at least one lane.
  let threads: [Int]

  /// Divides `threads` among lanes: as many as frames or threads, whichever are fewer, and at most `most`.
  init(threads: Int, frames: Int) {
    let count = max(1, min(threads, frames, Self.most))
    self.threads = (0..<count).map { threads / count + ($0 < threads % count ? 1 : 0) }
  }

  /// Processes positions 0 to `count` - 1, one at a time in each lane, and delivers the results in order.
  ///
  /// The first error ends the work; positions that have begun are finished.
  func inOrder<Result: Sendable>(
    _ count: Int, work: @escaping @Sendable (_ position: Int, _ lane: Int) async throws -> Result,
    deliver: (_ position: Int, Result) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (position: Int, lane: Int, result: Result).self) { group in
      var next = 0
      func start(
        _ lane: Int, _ group: inout ThrowingTaskGroup<(position: Int, lane: Int, result: Result), any Error>
      ) {
        guard next < count else { return }
        let position = next
        next += 1
        group.addTask { (position, lane, try await work(position, lane)) }
      }
      for lane in threads.indices { start(lane, &group) }
      var waiting: [Int: Result] = [:]
      var delivered = 0
      while let finished = try await group.next() {
        start(finished.lane, &group)
        waiting[finished.position] = finished.result
        while let result = waiting.removeValue(forKey: delivered) {
          try deliver(delivered, result)
          delivered += 1
        }
      }
    }
  }

  /// Processes the items of `next` until it returns nil, one at a time in each lane, and delivers each result as soon
  /// as it is ready, in any order.
  ///
  /// `next` and `deliver` are called one at a time. The first error ends the work; items that have begun are finished.
  func asCompleted<Piece: Sendable, Result: Sendable>(
    next: () throws -> Piece?, work: @escaping @Sendable (_ piece: Piece, _ lane: Int) async throws -> Result,
    deliver: (Result) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (lane: Int, result: Result).self) { group in
      func start(_ lane: Int, _ group: inout ThrowingTaskGroup<(lane: Int, result: Result), any Error>) throws
      {
        guard let piece = try next() else { return }
        group.addTask { (lane, try await work(piece, lane)) }
      }
      for lane in threads.indices { try start(lane, &group) }
      while let finished = try await group.next() {
        try deliver(finished.result)
        try start(finished.lane, &group)
      }
    }
  }
}
