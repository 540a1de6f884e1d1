/// Tries again after failures, waiting twice as long each time.
public struct RetryPolicy: Sendable, Equatable {
  /// Attempts after the first.
  public var retries = 3
  /// The first wait.
  public var base = Duration.milliseconds(100)
  /// The longest wait.
  public var cap = Duration.seconds(2)

  /// 0.1 s, 0.2 s, 0.4 s.
  public init() {}

  /// The wait before retry `number`, counted from 0: base * 2^number, at most the cap.
  public func delay(beforeRetry number: Int) -> Duration {
    var delay = min(base, cap)
    for _ in 0..<max(number, 0) where delay < cap { delay = min(delay * 2, cap) }
    return delay
  }

  /// Whether an attempt that failed with `error` may be repeated.
  public func mayRetry(_ error: any Error) -> Bool {
    !(error is CancellationError || error is CircuitOpenError)
  }

  /// Runs `operation` until it succeeds, may not be repeated or has used up its retries.
  ///
  /// - Throws: the last attempt's error; `CancellationError` if cancelled while waiting.
  public func run<Result: Sendable>(
    on time: any TimeSource, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Result
  ) async throws -> Result {
    var number = 0
    while true {
      do {
        return try await operation()
      } catch {
        guard number < retries, mayRetry(error), !Task.isCancelled else { throw error }
      }
      try await time.sleep(for: delay(beforeRetry: number))
      number += 1
    }
  }
}
