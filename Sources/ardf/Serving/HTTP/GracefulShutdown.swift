import Synchronization

/// A graceful end of a server: requests under way are answered, new ones are refused.
package final class GracefulShutdown: Sendable {
  private struct State {
    var hasBegun = false
    var handlers: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether the end was requested.
  package var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Requests the end; calls after the first do nothing.
  package func begin() {
    let handlers = state.withLock { state in
      defer { state = State(hasBegun: true) }
      return state.handlers
    }
    for handler in handlers { handler() }
  }

  /// Removes all handlers without calling them.
  func forget() { state.withLock { $0.handlers = [] } }

  /// Calls `handler` when the end is requested, or at once if it was before.
  package func onBegin(_ handler: @Sendable @escaping () -> Void) {
    let hasBegun = state.withLock { state in
      if !state.hasBegun { state.handlers.append(handler) }
      return state.hasBegun
    }
    if hasBegun { handler() }
  }
}
