import AppCore
import Testing

@Suite struct CircuitBreakerTests {
  /// Makes one call; false if the breaker did not let it through.
  static func call(_ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.CallOutcome, at now: Duration)
    -> Bool
  {
    guard let admission = try? breaker.admit(at: now) else { return false }
    breaker.record(outcome, of: admission, at: now)
    return true
  }

  static func open(_ breaker: inout CircuitBreaker, at now: Duration) {
    for _ in 0..<3 { #expect(call(&breaker, .failure, at: now)) }
    #expect(breaker.phase == .open)
  }

  @Test func threeFailuresInARowOpenIt() {
    var breaker = CircuitBreaker()
    for outcome in [CircuitBreaker.CallOutcome.failure, .failure, .success, .failure, .failure] {
      #expect(Self.call(&breaker, outcome, at: .zero))
    }
    #expect(breaker.phase == .closed)
    #expect(Self.call(&breaker, .failure, at: .zero))
    #expect(breaker.phase == .open)
  }

  @Test func halfOfTheLastTenOpensIt() {
    var breaker = CircuitBreaker()
    // Never three in a row; the fifth failure is the tenth outcome.
    let outcomes: [CircuitBreaker.CallOutcome] = [
      .success, .failure, .failure, .success, .failure, .failure, .success, .success, .success, .failure,
    ]
    for outcome in outcomes.dropLast() { #expect(Self.call(&breaker, outcome, at: .zero)) }
    #expect(breaker.phase == .closed)
    #expect(Self.call(&breaker, .failure, at: .zero))
    #expect(breaker.phase == .open)
  }

  @Test func fourOfTheLastTenDoNot() {
    var breaker = CircuitBreaker()
    for round in 0..<50 {
      #expect(Self.call(&breaker, [0, 1, 5, 6].contains(round % 10) ? .failure : .success, at: .zero))
    }
    #expect(breaker.phase == .closed)
  }

  @Test func compatOpensAtTheFirstFailure() {
    var breaker = CircuitBreaker(rules: .compat)
    #expect(Self.call(&breaker, .failure, at: .zero))
    #expect(breaker.phase == .open)
  }

  @Test func openMakesNoCallsForFiveSeconds() {
    var breaker = CircuitBreaker()
    Self.open(&breaker, at: .seconds(1))
    #expect(throws: CircuitOpenError(retryAt: .seconds(6))) { try breaker.admit(at: ms(5_999)) }
    #expect(breaker.phase == .open)
    #expect((try? breaker.admit(at: .seconds(6))) != nil)
    #expect(breaker.phase == .halfOpen)
  }

  @Test func halfOpenAdmitsOneAtATimeAndClosesAfterTwoSuccesses() throws {
    var breaker = CircuitBreaker()
    Self.open(&breaker, at: .zero)
    let trial = try breaker.admit(at: .seconds(5))
    #expect(throws: CircuitOpenError(retryAt: nil)) { try breaker.admit(at: .seconds(5)) }
    breaker.record(.success, of: trial, at: .seconds(5))
    #expect(breaker.phase == .halfOpen)
    #expect(Self.call(&breaker, .success, at: .seconds(5)))
    #expect(breaker.phase == .closed)
    // Counters start anew.
    #expect(Self.call(&breaker, .failure, at: .seconds(5)))
    #expect(Self.call(&breaker, .failure, at: .seconds(5)))
    #expect(breaker.phase == .closed)
  }

  @Test func aFailedTrialOpensItAgainFromThen() throws {
    var breaker = CircuitBreaker()
    Self.open(&breaker, at: .zero)
    #expect(Self.call(&breaker, .success, at: .seconds(5)))
    let trial = try breaker.admit(at: .seconds(7))
    breaker.record(.failure, of: trial, at: .seconds(8))
    #expect(breaker.phase == .open)
    #expect(throws: CircuitOpenError(retryAt: .seconds(13))) { try breaker.admit(at: .seconds(12)) }
    // The success before does not count any more.
    #expect(Self.call(&breaker, .success, at: .seconds(13)))
    #expect(breaker.phase == .halfOpen)
  }

  @Test func cancelledCallsSayNothing() throws {
    var breaker = CircuitBreaker()
    #expect(Self.call(&breaker, .failure, at: .zero))
    #expect(Self.call(&breaker, .failure, at: .zero))
    for _ in 0..<20 { #expect(Self.call(&breaker, .cancelled, at: .zero)) }
    #expect(breaker.phase == .closed)
    #expect(Self.call(&breaker, .failure, at: .zero))
    #expect(breaker.phase == .open, "two failures were not forgotten")
    let trial = try breaker.admit(at: .seconds(5))
    breaker.record(.cancelled, of: trial, at: .seconds(5))
    #expect(breaker.phase == .halfOpen)
    #expect(Self.call(&breaker, .success, at: .seconds(5)), "the trial's place is free again")
  }

  @Test func outcomesOfAnEarlierPhaseAreIgnored() throws {
    var breaker = CircuitBreaker()
    let slow = try breaker.admit(at: .zero)
    Self.open(&breaker, at: .zero)
    let trial = try breaker.admit(at: .seconds(5))
    breaker.record(.failure, of: slow, at: .seconds(5))
    #expect(breaker.phase == .halfOpen)
    breaker.record(.success, of: trial, at: .seconds(5))
    breaker.record(.success, of: slow, at: .seconds(5))
    #expect(breaker.phase == .halfOpen)
  }
}
