/// Where the live loop takes its time from: the machine's clock, or a virtual one in tests and simulations.
public protocol TimeSource: Sendable {
  /// Time since the source's start; never goes back.
  var now: Duration { get }

  /// Waits for `duration`.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The machine's steady clock, started when the value is made.
public struct SystemTime: TimeSource {
  private let start = ContinuousClock.now

  /// A clock that starts now.
  public init() {}

  /// Time since the value was made.
  public var now: Duration { ContinuousClock.now - start }

  /// Waits for `duration`.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

extension Duration {
  /// The duration in seconds, rounded to a double.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The whole number of nanoseconds nearest to `seconds`, so that decimal times add up exactly.
  ///
  /// - Precondition: `seconds` is finite and less than a century away from zero.
  package static func nearest(seconds: Double) -> Duration {
    precondition(abs(seconds) < 3.2e9, "\(seconds) s is not a time of a session")
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
