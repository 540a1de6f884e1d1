import Synchronization

/// The account of frames in flight.
public struct GateLedger: Sendable, Equatable {
  /// The most frames in flight.
  public let limit: Int
  /// Frames admitted and not completed.
  public private(set) var inFlight = 0
  /// Frames admitted so far.
  public private(set) var admitted = 0
  /// Frames turned away so far.
  public private(set) var dropped = 0

  /// An empty account.
  ///
  /// - Precondition: `limit` is positive.
  package init(limit: Int = 2) {
    precondition(limit > 0, "a gate lets at least one frame through")
    self.limit = limit
  }

  /// Admits a frame or turns it away at once.
  package mutating func admit() -> Bool {
    guard inFlight < limit else {
      dropped += 1
      return false
    }
    inFlight += 1
    admitted += 1
    return true
  }

  /// Completes a frame.
  ///
  /// - Precondition: one is in flight.
  package mutating func complete() {
    precondition(inFlight > 0, "a permit was returned twice")
    inFlight -= 1
  }
}

/// Limits the frames in flight without ever waiting: a frame too many is dropped.
package final class FrameGate: Sendable {
  private let account: Mutex<GateLedger>

  /// A gate for `limit` frames.
  package init(limit: Int = 2) { account = Mutex(GateLedger(limit: limit)) }

  /// The account now.
  package var ledger: GateLedger { account.withLock { $0 } }

  /// A permit for one frame; nil if as many as allowed are in flight.
  package func enter() -> FramePermit? {
    account.withLock { $0.admit() } ? FramePermit { [self] in account.withLock { $0.complete() } } : nil
  }
}

/// The right of one frame to be in flight: given back once, by `complete` or when it is let go.
package final class FramePermit: Sendable {
  private let giveBack: Mutex<(@Sendable () -> Void)?>

  init(giveBack: @escaping @Sendable () -> Void) { self.giveBack = Mutex(giveBack) }

  deinit { complete() }

  /// Gives the permit back; nothing the second time.
  package func complete() {
    let action = giveBack.withLock { stored in
      defer { stored = nil }
      return stored
    }
    action?()
  }
}
