import Synchronization

/// Limits the number of connections.
///
/// At the limit, the connection that has waited longest without an answered request is closed for a new one:
/// slow or silent clients cannot keep others out.
package final class ConnectionLimiter: Sendable {
  private struct Place {
    let number: Int
    let task: Task<Void, Never>
    var isAnswered = false
    /// Whether it has received no request yet.
    var isIdle = true
  }

  private struct State {
    var places: [Place] = []
    var count = 0
    /// Connections whose descriptors are open, those that gave way and are about to close included.
    var open = 0
    var hasEnded = false
  }

  private let limit: Int
  private let state = Mutex(State())

  package init(limit: Int) { self.limit = limit }

  /// Returns once at most twice as many descriptors are open as there are places.
  func waitForRoom() async throws {
    while state.withLock({ $0.open >= 2 * limit }) { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Counts an opened descriptor; returns the number of open ones.
  func opened() -> Int {
    state.withLock { state in
      state.open += 1
      return state.open
    }
  }

  /// Counts a closed descriptor; returns the number of open ones.
  func closed() -> Int {
    state.withLock { state in
      state.open -= 1
      return state.open
    }
  }

  /// Descriptors that are open.
  var connections: Int { state.withLock { $0.open } }

  /// Closes connections that wait for a request, now and later.
  func end() {
    state.withLock { state in
      state.hasEnded = true
      for place in state.places where place.isIdle { place.task.cancel() }
    }
  }

  /// Cancels all connections.
  func cancelAll() { state.withLock { state in for place in state.places { place.task.cancel() } } }

  /// Whether a connection may have another request; call it before each.
  func waits(_ number: Int) -> Bool {
    state.withLock { state in
      guard !state.hasEnded, let index = state.places.firstIndex(where: { $0.number == number }) else {
        return false
      }
      state.places[index].isIdle = true
      return true
    }
  }

  /// Starts a connection's task with its number, if there is a place or another connection can be closed for it.
  package func admit(
    on threads: DedicatedExecutor, _ serve: @Sendable @escaping (Int) async -> Void
  ) -> Task<Void, Never>? {
    state.withLock { state in
      if state.places.count >= limit {
        guard let first = state.places.firstIndex(where: { !$0.isAnswered }) else { return nil }
        state.places.remove(at: first).task.cancel()
      }
      state.count += 1
      let number = state.count
      let task = Task(executorPreference: threads) { await serve(number) }
      state.places.append(Place(number: number, task: task))
      return task
    }
  }

  /// Records that a connection's request is being answered, or no longer is.
  ///
  /// - Returns: whether the connection still has its place.
  @discardableResult package func mark(_ number: Int, isAnswered: Bool) -> Bool {
    state.withLock { state in
      guard let index = state.places.firstIndex(where: { $0.number == number }) else { return false }
      // Waits anew: to the end.
      var place = state.places.remove(at: index)
      place.isAnswered = isAnswered
      place.isIdle = false
      state.places.append(place)
      return true
    }
  }

  /// Removes a connection that has ended.
  package func leave(_ number: Int) {
    state.withLock { $0.places.removeAll { $0.number == number } }
  }
}
