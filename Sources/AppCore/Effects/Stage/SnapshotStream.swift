import Synchronization

/// A value that changes, as a stream of snapshots: who listens gets the newest one, and misses some if slow.
package final class SnapshotStream<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
    var nextId = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  /// A stream whose first snapshot is `value`.
  package init(_ value: Value) { state = Mutex(State(value: value)) }

  /// The newest snapshot.
  package var current: Value { state.withLock(\.value) }

  /// Changes the value and tells everyone who listens.
  package func update(_ change: (inout Value) -> Void) {
    state.withLock { state in
      change(&state.value)
      for listener in state.listeners.values { listener.yield(state.value) }
    }
  }

  /// Snapshots from the newest on, until `finish`; each call is a listener of its own.
  package func snapshots() -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let id = state.withLock { state -> Int? in
        continuation.yield(state.value)
        guard !state.isFinished else { return nil }
        state.nextId += 1
        state.listeners[state.nextId] = continuation
        return state.nextId
      }
      guard let id else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
      }
    }
  }

  /// Ends all streams after their last snapshot.
  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
