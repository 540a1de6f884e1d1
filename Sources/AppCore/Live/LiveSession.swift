/// A screen that shows the camera's picture with the objects over it.
public protocol RenderSink: Sendable {
  /// Shows a frame with the session's state, including objects, and returns when it is on the screen.
  ///
  /// - Throws: if the frame cannot be shown; the session continues with the next.
  func present(_ frame: CapturedFrame, state: LiveSnapshot) async throws
}

/// Who wants to know what was found, in which frame: to measure it, to place effects on it.
public protocol DetectionObserver: Sendable {
  /// Called after every detection that gave a result, before the next one starts.
  ///
  /// - `detections`: Those that the filter let through, with the identities of their objects.
  /// - `objects`: All objects followed now; those just seen name their detection.
  func detected(_ detections: [Detection], objects: [TrackedObject], in frame: CapturedFrame) async
}

/// How a live session runs.
public struct LiveConfiguration: Sendable {
  /// How frames, detection and showing follow each other.
  public enum Scheduling: Sendable {
    /// Side by side: what cannot be shown in time is dropped.
    case live
    /// Sequential: every frame is processed if detection is due, then shown, before the next is taken. On a
    /// clock that follows the frames, the same frames give the same pictures.
    case lockstep
  }

  /// When detections run.
  public enum Schedule: Sendable, Equatable {
    /// As often as `level` and the device's health allow.
    case adaptive
    /// At most once in that time, and not while heat or memory forbids it.
    case every(Duration)
    /// In the frames of these names.
    case frames(Set<String>)
  }

  /// How frames, detection and showing follow each other.
  public var scheduling = Scheduling.live
  /// When detections run.
  public var schedule = Schedule.adaptive
  /// How often to detect.
  public var level = PerformanceLevel.normal
  /// Which detections count.
  public var filter = DetectionFilter()
  /// How objects are followed.
  public var tracking = TrackingRules.live
  /// Objects not seen for longer are forgotten.
  public var objectLifetime = TrackingRules.liveLifetime
  /// When failing detections pause, and for how long.
  public var breaker = CircuitBreaker.Rules()
  /// How failed detections are repeated.
  public var retry = RetryPolicy()
  /// Bytes that what the session holds should stay under.
  public var memoryBudget = MemoryWatch.defaultBudget
  /// The most frames in flight.
  public var framesInFlight = 2
  /// Frame buffers.
  public var buffers = 3

  /// The defaults.
  public init() {}
}

/// The replaceable surroundings of a session: clock, device health, memory, overlays, observer and log.
public struct LiveSurroundings: Sendable {
  /// The time.
  public var time: any TimeSource
  /// Heat and power.
  public var health: any DeviceHealth
  /// A holder of other data of the session, whose bytes count too; nil for none.
  public var memory: (any MemoryHolder)?
  /// Films on objects, which give way under memory pressure.
  package var overlays: OverlayManager?
  /// The observer of detections.
  public var observer: (any DetectionObserver)?
  /// The sink for events.
  public var log: any LogSink

  /// The machine's clock, a device that is always healthy, no other memory, no observer and no log, unless given.
  public init(
    time: any TimeSource = SystemTime(), health: (any DeviceHealth)? = nil,
    memory: (any MemoryHolder)? = nil, observer: (any DetectionObserver)? = nil,
    log: any LogSink = SilentLog()
  ) {
    self.time = time
    self.health = health ?? ScriptedHealth()
    self.memory = memory
    self.observer = observer
    self.log = log
  }
}

/// A session's figures at its end.
public struct LiveReport: Sendable, Equatable {
  /// The last state.
  public let snapshot: LiveSnapshot
  /// How evenly frames were shown; nil with fewer than two.
  public let jitter: JitterReport?
  /// Frames in flight: none, and how many went through.
  public let gate: GateLedger
  /// Buffers: none lent, and how they were used.
  public let pool: PoolLedger
  /// Frames that detection skipped because newer ones came.
  public let visionReplaced: Int
  /// Sustained frame rate, peak memory, and recovery from pressure.
  public let endurance: EnduranceFigures
}

/// The live loop: shows frames as they come, and concurrently detects objects in as many of them as it can.
///
/// Showing never waits for detection; a frame too many is dropped at once.
public actor LiveSession {
  private typealias Buffers = FramePool<HeldFrame?>

  private let source: any FrameSource
  private let sink: any RenderSink
  private let surroundings: LiveSurroundings
  private let detection: DetectionLoop?
  private let scheduling: LiveConfiguration.Scheduling
  private let schedule: LiveConfiguration.Schedule
  private let state: SnapshotStream<LiveSnapshot>
  private let mayProcess: SnapshotStream<Bool>
  private let gate: FrameGate
  private let pool: Buffers
  private let mailbox = NewestMailbox<HeldFrame>()
  private let held = HeldFrames()
  private var conditions: LiveConditions
  private var pacer = FramePacer(framesPerSecond: ThermalFrameRate.full)
  private var drops = DropMonitor()
  private var shown = FrameRateWindow()
  private var jitter = JitterRecorder()
  private var endurance = EnduranceFigures()

  /// A session that has not started; without a detector it only shows.
  public init(
    source: any FrameSource, sink: any RenderSink, detector: (any Detector)? = nil,
    surroundings: LiveSurroundings = LiveSurroundings(),
    configuration: LiveConfiguration = LiveConfiguration()
  ) {
    self.source = source
    self.sink = sink
    self.surroundings = surroundings
    scheduling = configuration.scheduling
    schedule = configuration.schedule
    let mayProcess = SnapshotStream(true)
    detection = detector.map { detector in
      DetectionLoop(
        work: Orchestrator(
          time: surroundings.time, breaker: CircuitBreaker(rules: configuration.breaker),
          retry: configuration.retry, gate: { mayProcess.current },
          work: { try await detector.detect(in: $0) }),
        time: surroundings.time, filter: configuration.filter,
        objects: FollowedObjects(configuration.tracking, lifetime: configuration.objectLifetime),
        observer: surroundings.observer, log: surroundings.log)
    }
    self.mayProcess = mayProcess
    state = SnapshotStream(LiveSnapshot())
    gate = FrameGate(limit: configuration.framesInFlight)
    pool = Buffers(capacity: configuration.buffers) { nil }
    conditions = LiveConditions(level: configuration.level, memoryBudget: configuration.memoryBudget)
  }

  /// The state, from the newest on.
  public nonisolated func snapshots() -> AsyncStream<LiveSnapshot> { state.snapshots() }

  /// Runs until the source ends or the task is cancelled; to be called once.
  ///
  /// - Throws: what the source throws, once the frames in flight and the detection that runs have ended.
  public func run() async throws -> LiveReport {
    await detection?.setInterval(firstInterval)
    let (flights, departure) = AsyncStream<Flight>.makeStream()
    let showing = Task { for await flight in flights { await show(flight) } }
    let detecting = Task { await detect() }
    defer { state.finish() }
    var failure: (any Error)?
    await withTaskCancellationHandler {
      do {
        try await takeFrames(into: departure)
      } catch {
        failure = error
      }
      departure.finish()
      mailbox.close()
      await showing.value
      await detecting.value
    } onCancel: {
      showing.cancel()
      detecting.cancel()
    }
    if let failure { throw failure }
    return LiveReport(
      snapshot: state.current, jitter: jitter.report, gate: gate.ledger, pool: pool.ledger,
      visionReplaced: mailbox.replaced, endurance: endurance)
  }

  private func takeFrames(into departure: AsyncStream<Flight>.Continuation) async throws {
    for try await arrived in source.frames() {
      let frame = held.hold(arrived)
      await adapt()
      guard let flight = admit(frame) else { continue }
      if scheduling == .lockstep {
        if let detection, isWanted(arrived) { await look(at: frame, with: detection) }
        await show(flight)
      } else if case .terminated = departure.yield(flight) {
        end(flight, isShown: false)
      }
    }
  }

  // MARK: Frames

  private struct Flight: Sendable {
    let permit: FramePermit
    let loan: FrameLoan<HeldFrame?>
  }

  private func admit(_ frame: HeldFrame) -> Flight? {
    let now = surroundings.time.now
    guard pacer.take(at: now) else {
      state.update {
        $0.framesSeen += 1
        $0.framesPaced += 1
      }
      return nil
    }
    var flight: Flight?
    if let permit = gate.enter(), let loan = pool.lend() {
      loan.withBuffer { $0 = frame }
      if scheduling == .live, isWanted(frame.frame) { mailbox.put(frame) }
      flight = Flight(permit: permit, loan: loan)
    }
    note(dropped: flight == nil, at: now)
    return flight
  }

  private func note(dropped isDropped: Bool, at now: Duration) {
    let alarm = drops.record(dropped: isDropped, at: now)
    state.update {
      $0.framesSeen += 1
      if isDropped { $0.framesDropped += 1 }
      if let alarm { $0.isDropAlarming = alarm }
    }
    if let alarm {
      surroundings.log.info(alarm ? "many frames are being dropped" : "frames come through again")
    }
  }

  /// Ends the flight on every path: shown, failed or cancelled.
  private func show(_ flight: Flight) async {
    let frame = flight.loan.withBuffer { $0?.frame } ?? nil
    let isShown: Bool
    do {
      try Task.checkCancellation()
      if let frame { try await sink.present(frame, state: state.current) }
      isShown = frame != nil
    } catch {
      if !(error is CancellationError) { surroundings.log.error("a frame could not be shown", error) }
      isShown = false
    }
    end(flight, isShown: isShown)
  }

  private func end(_ flight: Flight, isShown: Bool) {
    flight.loan.withBuffer { $0 = nil }
    flight.loan.giveBack()
    flight.permit.complete()
    let now = surroundings.time.now
    if isShown {
      shown.record(at: now)
      jitter.record(at: now)
      endurance.frameShown()
    }
    let rate = shown.framesPerSecond(at: now)
    state.update {
      if isShown { $0.framesShown += 1 } else { $0.framesFailed += 1 }
      $0.framesPerSecond = rate
    }
  }

  // MARK: Conditions

  private func adapt() async {
    let now = surroundings.time.now
    let bytes = held.bytes + (await surroundings.memory?.heldBytes() ?? 0)
    let changes = conditions.update(health: surroundings.health.reading, heldBytes: bytes, at: now)
    endurance.memoryRead(bytes: bytes, pressure: conditions.memory.pressure, at: now)
    state.update { $0.heldBytes = bytes }
    for change in changes { await apply(change) }
  }

  private func apply(_ change: ConditionChange) async {
    switch change {
    case .pressure(let pressure):
      surroundings.log.info("memory pressure is \(pressure.rawValue)")
      for action in pressure.actions {
        await detection?.perform(action)
        await surroundings.overlays?.perform(action)
      }
      let objects = await detection?.objects ?? []
      state.update {
        $0.pressure = pressure
        $0.objects = objects
      }
    case .performance(let performance):
      mayProcess.update { $0 = performance.canProcess }
      if schedule == .adaptive { await detection?.setInterval(performance.interval) }
      state.update { $0.performance = performance }
    case .frameRate(let rate):
      surroundings.log.info("showing \(rate) frames a second")
      pacer.framesPerSecond = rate
      state.update { $0.frameRateLimit = rate }
    }
  }

  // MARK: Detection

  private nonisolated func detect() async {
    guard let detection else { return }
    for await frame in mailbox.values { await look(at: frame, with: detection) }
  }

  private var firstInterval: Duration {
    switch schedule {
    case .adaptive: conditions.performance.state.interval
    case .every(let interval): interval
    case .frames: .zero
    }
  }

  private nonisolated func isWanted(_ frame: CapturedFrame) -> Bool {
    if case .frames(let names) = schedule { names.contains(frame.name) } else { true }
  }

  private nonisolated func look(at held: HeldFrame, with detection: DetectionLoop) async {
    let outcome = await detection.process(held.frame)
    let breaker = await detection.breakerPhase
    state.update { snapshot in
      snapshot.breaker = breaker
      switch outcome {
      case .updated(let objects):
        snapshot.detections += 1
        snapshot.objects = objects
      case .failed: snapshot.detectionFailures += 1
      case .broken:
        snapshot.detectionFailures += 1
        snapshot.detectionsBroken += 1
      case .refused: snapshot.detectionsRefused += 1
      case .skipped, .cancelled: break
      }
    }
  }
}
