/// Runs work with its protections, always in the same order: gate, breaker, work, recovery.
///
/// A closed gate ends a run before the breaker is asked, an open breaker ends it before the work is started,
/// and recovery is asked only for failures. Retries go through the breaker again.
package actor Orchestrator<Input: Sendable, Output: Sendable> {
  /// How a run ended.
  package enum RunOutcome: Sendable {
    /// The gate was closed.
    case refused
    /// The work succeeded.
    case done(Output)
    /// The work failed; what recovery offers instead, if anything.
    case failed(any Error, recovered: Output?)
    /// The caller gave up.
    case cancelled
  }

  /// Whether work may run now.
  package typealias Gate = @Sendable () async -> Bool
  /// The work itself.
  package typealias Work = @Sendable (Input) async throws -> Output
  /// Makes a substitute for the output after a failure; nil for none.
  package typealias Recovery = @Sendable (any Error) async -> Output?

  private let time: any TimeSource
  private let gate: Gate
  private let retry: RetryPolicy
  private let work: Work
  private let recovery: Recovery
  private var breaker: CircuitBreaker

  /// An orchestrator of its roles.
  package init(
    time: any TimeSource, breaker: CircuitBreaker = CircuitBreaker(), retry: RetryPolicy = RetryPolicy(),
    gate: @escaping Gate = { true }, work: @escaping Work,
    recovery: @escaping Recovery = { _ in nil }
  ) {
    self.time = time
    self.breaker = breaker
    self.retry = retry
    self.gate = gate
    self.work = work
    self.recovery = recovery
  }

  /// Whether calls are made.
  package var breakerPhase: CircuitBreaker.Phase { breaker.phase }

  /// Runs the work on `input`.
  package func run(_ input: Input) async -> RunOutcome {
    guard await gate() else { return .refused }
    do {
      return .done(try await retry.run(on: time) { try await attempt(input) })
    } catch {
      if error is CancellationError || Task.isCancelled { return .cancelled }
      return .failed(error, recovered: await recovery(error))
    }
  }

  private func attempt(_ input: Input) async throws -> Output {
    let admission = try breaker.admit(at: time.now)
    do {
      let output = try await work(input)
      breaker.record(.success, of: admission, at: time.now)
      return output
    } catch {
      let isCancelled = error is CancellationError || Task.isCancelled
      breaker.record(isCancelled ? .cancelled : .failure, of: admission, at: time.now)
      throw error
    }
  }
}
