import Foundation
import Synchronization

/// How tests wait: for what must happen, however long a busy machine takes for it.
///
/// A test that depends on how fast something is fails where others compute beside it. `tools/check/house-rules` keeps
/// clocks, sleeping and ports of one's own out of all other files of the tests.
public enum Waiting {
  /// Longer than any machine takes for anything: only what never comes is given up.
  public static let patience = Duration.seconds(3600)

  /// Something was waited for and did not come.
  public struct NeverCame: Error, CustomStringConvertible {
    /// The event that was waited for.
    public let what: String
    /// For a test's report.
    public var description: String { "\(what): did not come in \(Waiting.patience)" }
  }

  private static let pause: UInt32 = 2000

  /// Returns once `condition` holds; holds up the thread.
  ///
  /// - Throws: `NeverCame`, and what `condition` throws.
  public static func until(_ what: String, _ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + patience
    while try !condition() {
      guard ContinuousClock.now < end else { throw NeverCame(what: what) }
      usleep(pause)
    }
  }

  /// Returns once `condition` holds; blocks no other test.
  ///
  /// - Throws: `NeverCame`, `CancellationError`, and what `condition` throws.
  public static func until(_ what: String, _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + patience
    while try !condition() {
      guard ContinuousClock.now < end else { throw NeverCame(what: what) }
      try await Task.sleep(for: .microseconds(Int64(pause)))
    }
  }

  /// The processor time of this thread, for measurements on a machine at rest.
  public static var processorTime: Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Whether `body` takes at least a time: what is said to wait does.
  public static func takes(atLeast duration: Duration, _ body: () async throws -> Void) async rethrows -> Bool
  {
    let start = ContinuousClock.now
    try await body()
    return ContinuousClock.now - start >= duration
  }

  /// Whether `body` takes at least a time: what is said to wait does.
  public static func takes(atLeast duration: Duration, _ body: () throws -> Void) rethrows -> Bool {
    let start = ContinuousClock.now
    try body()
    return ContinuousClock.now - start >= duration
  }
}

/// A clock that stands still until a test moves it.
public final class ManualTime: Sendable {
  private let instant = Mutex(ContinuousClock.now)

  /// A clock that shows the present.
  public init() {}

  /// The time that it shows.
  public var now: ContinuousClock.Instant { instant.withLock { $0 } }

  /// Moves it on.
  public func advance(by duration: Duration) { instant.withLock { $0 += duration } }

  /// Moves it on, again and again, until `condition` holds: who begins to wait later is passed as well.
  ///
  /// - Throws: `Waiting.NeverCame`, and what `condition` throws.
  public func pass(_ duration: Duration, until what: String, _ condition: () throws -> Bool) throws {
    try Waiting.until(what) {
      advance(by: duration)
      return try condition()
    }
  }
}
