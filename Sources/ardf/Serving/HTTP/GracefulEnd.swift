import Synchronization

/// The end of a server that is asked for: requests under way are answered, new ones are refused.
package final class GracefulEnd: Sendable {
  private struct State {
    var hasBegun = false
    var handlers: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether it was asked for.
  package var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Asks for it; all calls after the first do nothing.
  package func begin() {
    let handlers = state.withLock { state in
      defer { state = State(hasBegun: true) }
      return state.handlers
    }
    for handler in handlers { handler() }
  }

  /// Removes all handlers without calling them.
  func forget() { state.withLock { $0.handlers = [] } }

  /// Has `handler` called when it is asked for, at once if it was before.
  package func onBegin(_ handler: @Sendable @escaping () -> Void) {
    let hasBegun = state.withLock { state in
      if !state.hasBegun { state.handlers.append(handler) }
      return state.hasBegun
    }
    if hasBegun { handler() }
  }
}
