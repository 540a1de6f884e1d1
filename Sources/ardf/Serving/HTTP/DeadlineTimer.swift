import Synchronization

/// Timers for deadlines that are mostly cancelled, such as the end of a request's time.
///
/// A cancelled `Task.sleep` keeps its system timer until its time is over: with deadlines of half a minute
/// and thousands of requests a second that takes hundreds of megabytes. Here a cancelled timer is removed at
/// once; deadlines are checked 50 times a second, and only while there are any.
package final class DeadlineTimer: Sendable {
  package static let shared = DeadlineTimer()

  private let clock: @Sendable () -> ContinuousClock.Instant

  /// A timer on the system's clock, or on another one.
  package init(clock: @Sendable @escaping () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

  /// The current time.
  package var now: ContinuousClock.Instant { clock() }

  private typealias Sleeper = (
    deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Void, any Error>
  )

  private struct State {
    var sleepers: [Int: Sleeper] = [:]
    var count = 0
    var isTicking = false
  }

  private static let tick = Duration.milliseconds(20)
  /// The clock's own thread, which no other work of the process delays.
  private static let thread = DedicatedExecutor(name: "ardf.clock", count: 1)
  private let state = Mutex(State())

  /// Tasks that wait.
  package var waiting: Int { state.withLock { $0.sleepers.count } }

  /// Returns when the time has passed, or up to a fiftieth of a second later.
  ///
  /// - Throws: `CancellationError`.
  package func sleep(for duration: Duration) async throws {
    try await sleep(until: now + duration)
  }

  /// Returns at the deadline, or up to a fiftieth of a second later.
  ///
  /// - Throws: `CancellationError`.
  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let begins = state.withLock { state in
          state.sleepers[number] = (deadline, continuation)
          defer { state.isTicking = true }
          return !state.isTicking
        }
        if begins { Task.detached(executorPreference: Self.thread) { await self.watch() } }
        // Cancelled before there was anything to end.
        if Task.isCancelled { end(number) }
      }
    } onCancel: {
      end(number)
    }
  }

  private func end(_ number: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  /// Wakes tasks whose deadline has passed, until none are left.
  private func watch() async {
    while true {
      try? await Task.sleep(for: Self.tick)
      let now = now
      let (due, goesOn) = state.withLock { state in
        let due = state.sleepers.filter { $0.value.deadline <= now }
        for number in due.keys { state.sleepers[number] = nil }
        state.isTicking = !state.sleepers.isEmpty
        return (due.values.map(\.continuation), state.isTicking)
      }
      for continuation in due { continuation.resume() }
      guard goesOn else { return }
    }
  }
}
