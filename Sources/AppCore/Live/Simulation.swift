import FileFormats

/// A live session without camera, screen and networks: the loop's own rules, driven by a script.
///
/// The same script gives the same trace, to the byte.
package struct Simulation: Sendable {
  /// The schema name in a trace.
  package static let schema = "ardf.simulation-trace/1"

  /// The script that drives the session.
  package let script: SimulationScript

  /// A simulation of a script.
  package init(script: SimulationScript) { self.script = script }

  /// Runs it and returns the trace: `events` in order, each with its time `at` in seconds, and a `summary`.
  package func run() -> JSONValue {
    var session = SimulatedSession(script: script)
    session.run()
    return [
      "schema": .string(Self.schema),
      "duration": .rounded(script.duration.inSeconds, decimals: 6),
      "events": .array(session.events),
      "summary": session.summary,
    ]
  }
}

/// The session's state while a simulation runs.
struct SimulatedSession {
  private enum Event {
    case arrival(frame: Int)
    case rendered(frame: Int, isFault: Bool)
    case detected(isFault: Bool, CircuitBreaker.Admission)
    case retry
    case health(HealthReading)
    case memory(bytes: Int)
    case recheckHeat

    /// Order of events at the same time: endings, then the device's state, then beginnings.
    var rank: Int {
      switch self {
      case .rendered: 0
      case .detected: 1
      case .health: 2
      case .memory: 3
      case .recheckHeat: 4
      case .retry: 5
      case .arrival: 6
      }
    }
  }

  private struct Detecting {
    let frame: Int
    var retries = 0
  }

  private let script: SimulationScript
  private var queue = EventQueue<Event>()
  private var now = Duration.zero
  private(set) var events: [JSONValue] = []

  private var conditions: LiveConditions
  private var pacer = FramePacer(framesPerSecond: ThermalFrameRate.full)
  private var gate: GateLedger
  private var pool: PoolLedger
  private var drops = DropMonitor()
  private var jitter = JitterRecorder(capacity: SimulationScript.entryLimit)
  private var endurance = EnduranceFigures()
  private var throttle: DetectionThrottle
  private var breaker: CircuitBreaker
  private var renderFreeAt = Duration.zero
  private var detecting: Detecting?
  /// The newest frame that detection has not processed.
  private var waiting: Int?
  private var counts = Counts()

  private struct Counts {
    var paced = 0
    var failed = 0
    var calls = 0
    var detections = 0
    var detectionFailures = 0
    var refused = 0
    var replaced = 0
  }

  init(script: SimulationScript) {
    self.script = script
    conditions = LiveConditions(level: script.level, memoryBudget: script.memoryBudget)
    gate = GateLedger(limit: script.framesInFlight)
    pool = PoolLedger(capacity: script.buffers)
    throttle = DetectionThrottle(interval: conditions.performance.state.interval)
    breaker = CircuitBreaker(rules: script.breaker)
  }

  mutating func run() {
    for (frame, time) in script.arrivals.enumerated() { schedule(.arrival(frame: frame), at: time) }
    for change in script.health { schedule(.health(change.reading), at: change.time) }
    for reading in script.memory { schedule(.memory(bytes: reading.bytes), at: reading.time) }
    while let (time, event) = queue.next(), time <= script.duration {
      now = time
      handle(event)
    }
  }

  private mutating func schedule(_ event: Event, at time: Duration) {
    queue.add(event, at: time, rank: event.rank)
  }

  private mutating func note(_ event: String, _ fields: [String: JSONValue] = [:]) {
    var record = fields
    record["at"] = .rounded(now.inSeconds, decimals: 6)
    record["event"] = .string(event)
    events.append(.object(record))
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .arrival(let frame): arrive(frame)
    case .rendered(let frame, let isFault): finishRendering(frame, isFault: isFault)
    case .detected(let isFault, let admission): finishDetecting(isFault: isFault, admission)
    case .retry: attemptDetection()
    case .health(let reading): adapt(to: conditions.update(health: reading, at: now))
    case .recheckHeat: adapt(to: conditions.update(at: now))
    case .memory(let bytes):
      adapt(to: conditions.update(heldBytes: bytes, at: now))
      endurance.memoryRead(bytes: bytes, pressure: conditions.memory.pressure, at: now)
    }
  }
}

// MARK: Frames

extension SimulatedSession {
  private mutating func arrive(_ frame: Int) {
    guard pacer.take(at: now) else {
      counts.paced += 1
      return note("frame.paced", ["frame": .integer(frame)])
    }
    guard gate.admit() else { return drop(frame, reason: "backpressure") }
    guard pool.lend() != nil else {
      gate.complete()
      return drop(frame, reason: "pool")
    }
    note("frame.admitted", ["frame": .integer(frame)])
    noteAlarm(drops.record(dropped: false, at: now))
    let number = gate.admitted - 1
    renderFreeAt = max(renderFreeAt, now) + script.render.duration(of: number)
    schedule(.rendered(frame: frame, isFault: script.render.faults.contains(number)), at: renderFreeAt)
    offerToDetection(frame)
  }

  private mutating func drop(_ frame: Int, reason: String) {
    note("frame.dropped", ["frame": .integer(frame), "reason": .string(reason)])
    noteAlarm(drops.record(dropped: true, at: now))
  }

  private mutating func noteAlarm(_ change: Bool?) {
    guard let change else { return }
    note("drops.alarm", ["on": .bool(change), "rate": .rounded(drops.rate, decimals: 6)])
  }

  private mutating func finishRendering(_ frame: Int, isFault: Bool) {
    pool.takeBack()
    gate.complete()
    if isFault {
      counts.failed += 1
      return note("frame.failed", ["frame": .integer(frame)])
    }
    note("frame.shown", ["frame": .integer(frame)])
    jitter.record(at: now)
    endurance.frameShown()
  }
}

// MARK: Detection

extension SimulatedSession {
  private mutating func offerToDetection(_ frame: Int) {
    guard script.detection != nil else { return }
    if waiting != nil { counts.replaced += 1 }
    waiting = frame
    startDetection()
  }

  private mutating func startDetection() {
    guard let frame = waiting, throttle.begin(at: now) else { return }
    waiting = nil
    guard conditions.performance.state.canProcess else {
      counts.refused += 1
      note("detection.refused", ["frame": .integer(frame), "reason": "conditions"])
      return throttle.finish()
    }
    detecting = Detecting(frame: frame)
    attemptDetection()
  }

  private mutating func attemptDetection() {
    guard let stage = script.detection, let frame = detecting?.frame else { return }
    let phase = breaker.phase
    do throws(CircuitOpenError) {
      let admission = try breaker.admit(at: now)
      noteBreaker(from: phase)
      note("detection.started", ["frame": .integer(frame), "call": .integer(counts.calls)])
      let isFault = stage.faults.contains(counts.calls)
      schedule(.detected(isFault: isFault, admission), at: now + stage.duration(of: counts.calls))
      counts.calls += 1
    } catch {
      counts.detectionFailures += 1
      note("detection.refused", ["frame": .integer(frame), "reason": "breaker"])
      endDetection()
    }
  }

  private mutating func finishDetecting(isFault: Bool, _ admission: CircuitBreaker.Admission) {
    guard let current = detecting else { return }
    let phase = breaker.phase
    breaker.record(isFault ? .failure : .success, of: admission, at: now)
    note(isFault ? "detection.failed" : "detection.done", ["frame": .integer(current.frame)])
    noteBreaker(from: phase)
    if isFault, current.retries < script.retry.retries {
      let delay = script.retry.delay(beforeRetry: current.retries)
      note(
        "detection.retry",
        ["frame": .integer(current.frame), "delay": .rounded(delay.inSeconds, decimals: 6)])
      detecting?.retries += 1
      return schedule(.retry, at: now + delay)
    }
    if isFault { counts.detectionFailures += 1 } else { counts.detections += 1 }
    endDetection()
  }

  private mutating func endDetection() {
    detecting = nil
    throttle.finish()
    startDetection()
  }

  private mutating func noteBreaker(from phase: CircuitBreaker.Phase) {
    if breaker.phase != phase { note("breaker", ["phase": .string(breaker.phase.rawValue)]) }
  }
}

// MARK: Conditions and figures

extension SimulatedSession {
  private mutating func adapt(to changes: [ConditionChange]) {
    for change in changes {
      switch change {
      case .pressure(let pressure):
        note(
          "memory.pressure",
          [
            "level": .string(pressure.rawValue),
            "actions": .array(pressure.actions.map { .string($0.description) }),
          ])
      case .performance(let state):
        throttle.interval = state.interval
        note(
          "performance",
          [
            "score": .rounded(state.score, decimals: 6),
            "interval": .rounded(state.interval.inSeconds, decimals: 6),
            "canProcess": .bool(state.canProcess),
          ])
      case .frameRate(let rate):
        pacer.framesPerSecond = rate
        note("frameRate", ["framesPerSecond": .integer(rate)])
      }
    }
    if let recovery = conditions.frameRate.recoveryTime, recovery > now {
      schedule(.recheckHeat, at: recovery)
    }
  }

  var summary: JSONValue {
    [
      "frames": [
        "arrived": .integer(drops.total + counts.paced), "paced": .integer(counts.paced),
        "dropped": .integer(drops.dropped), "shown": .integer(endurance.framesShown),
        "failed": .integer(counts.failed), "inFlight": .integer(gate.inFlight),
      ],
      "pool": [
        "allocated": .integer(pool.allocated), "lent": .integer(pool.lent), "reused": .integer(pool.reused),
        "exhausted": .integer(pool.exhausted), "leaked": .integer(pool.leaked),
      ],
      "detection": [
        "calls": .integer(counts.calls), "done": .integer(counts.detections),
        "failed": .integer(counts.detectionFailures), "refused": .integer(counts.refused),
        "framesReplaced": .integer(counts.replaced), "breaker": .string(breaker.phase.rawValue),
      ],
      "jitterMilliseconds": jitter.report?.json ?? .null,
      "endurance": endurance.json(duration: script.duration),
    ]
  }
}
