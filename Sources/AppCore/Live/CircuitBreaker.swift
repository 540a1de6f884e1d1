import FileFormats

/// Calls are not made for now, because too many failed.
public struct CircuitOpenError: Error, Equatable, CustomStringConvertible {
  /// When calls may be tried again; nil while a trial call runs.
  public let retryAt: Duration?

  /// An error with the time of the next trial.
  package init(retryAt: Duration?) { self.retryAt = retryAt }

  /// The error in words.
  public var description: String {
    guard let retryAt else { return "the circuit is half open: one trial call is running" }
    return "the circuit is open: too many calls failed; the next trial is at \(retryAt.inSeconds) s"
  }
}

/// Stops calling what keeps failing, and tries again after a while.
public struct CircuitBreaker: Sendable, Equatable {
  /// When the breaker opens and closes.
  public struct Rules: Sendable, Equatable {
    /// Failures in a row that open it.
    public var consecutiveFailures = 3
    /// Outcomes that the failure share is taken over; judged once there are that many.
    public var window = 10
    /// Share of failures in the window that opens it.
    public var failureShare = 0.5
    /// How long it stays open.
    public var openDuration = Duration.seconds(5)
    /// Successes in a row that close it again.
    public var successesToClose = 2

    /// The defaults.
    public init() {}

    /// Opens at the first failure.
    package static let compat = {
      var rules = Rules()
      rules.consecutiveFailures = 1
      return rules
    }()
  }

  /// Whether calls are made.
  public enum Phase: String, Sendable {
    /// All of them.
    case closed
    /// None.
    case open
    /// One at a time, as a trial.
    case halfOpen
  }

  /// How a call ended.
  public enum CallOutcome: String, Sendable {
    case success, failure
    /// Given up by the caller: says nothing about the work.
    case cancelled
  }

  /// Permission for one call; its outcome counts only in the phase that it was given in.
  public struct Admission: Sendable, Equatable {
    fileprivate let generation: Int
  }

  /// When the breaker opens and closes.
  public let rules: Rules
  /// Whether calls are made.
  public private(set) var phase = Phase.closed
  private var generation = 0
  private var openedAt = Duration.zero
  private var isTrialRunning = false
  private var successes = 0
  private var failuresInARow = 0
  private var recentFailures: [Bool] = []

  /// A closed breaker.
  public init(rules: Rules = Rules()) { self.rules = rules }

  /// Asks to make a call.
  ///
  /// - Throws: `CircuitOpenError`, without which the call must be made and its outcome recorded.
  public mutating func admit(at now: Duration) throws(CircuitOpenError) -> Admission {
    if phase == .open {
      let end = openedAt + rules.openDuration
      guard now >= end else { throw CircuitOpenError(retryAt: end) }
      enter(.halfOpen)
    }
    if phase == .halfOpen {
      guard !isTrialRunning else { throw CircuitOpenError(retryAt: nil) }
      isTrialRunning = true
    }
    return Admission(generation: generation)
  }

  /// Tells how an admitted call ended.
  public mutating func record(_ outcome: CallOutcome, of admission: Admission, at now: Duration) {
    guard admission.generation == generation else { return }
    isTrialRunning = false
    switch (phase, outcome) {
    case (_, .cancelled), (.open, _): break
    case (.halfOpen, .failure): open(at: now)
    case (.halfOpen, .success):
      successes += 1
      if successes >= rules.successesToClose { enter(.closed) }
    case (.closed, _):
      failuresInARow = outcome == .failure ? failuresInARow + 1 : 0
      recentFailures = (recentFailures + [outcome == .failure]).suffix(rules.window)
      if failuresInARow >= rules.consecutiveFailures || isShareReached { open(at: now) }
    }
  }

  private var isShareReached: Bool {
    let failures = recentFailures.count { $0 }
    return recentFailures.count == rules.window
      && Double(failures) >= rules.failureShare * Double(rules.window)
  }

  private mutating func open(at now: Duration) {
    enter(.open)
    openedAt = now
  }

  private mutating func enter(_ next: Phase) {
    phase = next
    generation += 1
    isTrialRunning = false
    successes = 0
    failuresInARow = 0
    recentFailures = []
  }
}

extension CircuitOpenError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .unavailable }
}
