import AppCore
import Synchronization

/// A clock that stands still until a caller advances it; sleepers wake in the order of their deadlines.
final class VirtualClock: TimeSource {
  private struct Sleeper {
    let id: Int
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now: Duration
    var nextId = 0
    var sleepers: [Sleeper] = []
    /// Calls that have not put down their sleeper yet, and whether they were cancelled meanwhile.
    var arriving: [Int: Bool] = [:]
    var watchers: [Watcher] = []
  }

  private let state: Mutex<State>

  /// A clock that shows `now`.
  init(now: Duration = .zero) { state = Mutex(State(now: now)) }

  /// The time shown.
  var now: Duration { state.withLock(\.now) }

  /// How many tasks sleep on the clock.
  var sleeperCount: Int { state.withLock(\.sleepers.count) }

  /// Waits until the clock has advanced by `duration`; returns at once for none.
  ///
  /// - Throws: `CancellationError`.
  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let id = state.withLock { state in
      state.nextId += 1
      state.arriving[state.nextId] = false
      return state.nextId
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        layDown(id, for: duration, continuation)
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Moves the clock on by `duration` and wakes everyone whose deadline has come.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now += duration
      let now = state.now
      let woken = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return woken.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Moves the clock to the earliest deadline and returns how far that was; nil if there are no sleepers.
  @discardableResult
  func advanceToNextDeadline() -> Duration? {
    let step = state.withLock { state in
      state.sleepers.map(\.deadline).min().map { $0 - state.now }
    }
    if let step { advance(by: step) }
    return step
  }

  /// Returns once at least `count` tasks sleep on the clock.
  func untilSleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  private func layDown(
    _ id: Int, for duration: Duration, _ continuation: CheckedContinuation<Void, any Error>
  ) {
    let (wasCancelled, reached) = state.withLock { state -> (Bool, [Watcher]) in
      if state.arriving.removeValue(forKey: id) == true { return (true, []) }
      state.sleepers.append(Sleeper(id: id, deadline: state.now + duration, continuation: continuation))
      let count = state.sleepers.count
      let reached = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return (false, reached)
    }
    if wasCancelled { continuation.resume(throwing: CancellationError()) }
    for watcher in reached { watcher.continuation.resume() }
  }

  private func cancel(_ id: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      if let index = state.sleepers.firstIndex(where: { $0.id == id }) {
        return state.sleepers.remove(at: index)
      }
      if state.arriving[id] != nil { state.arriving[id] = true }
      return nil
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}
