import Synchronization

/// The account of a pool of buffers.
public struct PoolLedger: Sendable, Equatable {
  /// The most buffers there ever are.
  public let capacity: Int
  /// Buffers made so far.
  public private(set) var allocated = 0
  /// Buffers lent now.
  public private(set) var lent = 0
  /// Loans of a buffer that was used before.
  public private(set) var reused = 0
  /// Requests while every buffer was lent.
  public private(set) var exhausted = 0
  /// Loans that were let go without being returned; the pool takes their buffers back.
  public private(set) var leaked = 0

  /// An empty account.
  ///
  /// - Precondition: `capacity` is positive.
  package init(capacity: Int = 3) {
    precondition(capacity > 0, "a pool holds at least one buffer")
    self.capacity = capacity
  }

  /// How a loan is served.
  package enum Loan: Sendable {
    /// With a buffer to be made.
    case new
    /// With one that was used before.
    case reused
  }

  /// Lends a buffer; nil if all are lent.
  package mutating func lend() -> Loan? {
    guard lent < capacity else {
      exhausted += 1
      return nil
    }
    lent += 1
    if lent > allocated {
      allocated += 1
      return .new
    }
    reused += 1
    return .reused
  }

  /// Takes a buffer back.
  ///
  /// - Precondition: one is lent.
  package mutating func takeBack(leaked isLeak: Bool = false) {
    precondition(lent > 0, "a buffer was returned twice")
    lent -= 1
    if isLeak { leaked += 1 }
  }
}

/// A few buffers that are lent again and again; never more than the pool's capacity exist.
package final class FramePool<Buffer: Sendable>: Sendable {
  private struct State {
    var ledger: PoolLedger
    var idle: [Buffer] = []
  }

  private let state: Mutex<State>
  private let make: @Sendable () -> Buffer

  /// An empty pool; buffers are made when first needed.
  package init(capacity: Int = 3, make: @escaping @Sendable () -> Buffer) {
    state = Mutex(State(ledger: PoolLedger(capacity: capacity)))
    self.make = make
  }

  /// The account now.
  package var ledger: PoolLedger { state.withLock(\.ledger) }

  /// Lends a buffer; nil if all are lent.
  package func lend() -> FrameLoan<Buffer>? {
    let buffer = state.withLock { state -> Buffer? in
      switch state.ledger.lend() {
      case .new: make()
      case .reused: state.idle.removeLast()
      case nil: nil
      }
    }
    return buffer.map { FrameLoan(buffer: $0, pool: self) }
  }

  fileprivate func takeBack(_ buffer: Buffer, leaked: Bool) {
    state.withLock { state in
      state.ledger.takeBack(leaked: leaked)
      state.idle.append(buffer)
    }
  }
}

/// One buffer on loan: to be returned once; a loan that is let go instead returns itself and counts as a leak.
package final class FrameLoan<Buffer: Sendable>: Sendable {
  private let buffer: Mutex<Buffer?>
  private let pool: FramePool<Buffer>

  fileprivate init(buffer: Buffer, pool: FramePool<Buffer>) {
    self.buffer = Mutex(buffer)
    self.pool = pool
  }

  deinit { giveBack(leaked: true) }

  /// Works on the buffer; nil once it is returned.
  package func withBuffer<Result: Sendable>(_ body: (inout Buffer) throws -> Result) rethrows -> Result? {
    try buffer.withLock { stored in
      guard var current = stored.take() else { return nil }
      defer { stored = current }
      return try body(&current)
    }
  }

  /// Returns the buffer; nothing the second time.
  package func giveBack() { giveBack(leaked: false) }

  private func giveBack(leaked: Bool) {
    if let returned = buffer.withLock({ $0.take() }) { pool.takeBack(returned, leaked: leaked) }
  }
}
