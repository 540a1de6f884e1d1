import AppCore
import Geometry
import Imaging
import Synchronization
import Testing

/// The calls made, in order.
final class Calls: Sendable {
  private let kept = Mutex<[String]>([])
  var list: [String] { kept.withLock { $0 } }
  func add(_ call: String) { kept.withLock { $0.append(call) } }
}

/// Work that fails.
struct Fault: Error, Equatable, CustomStringConvertible {
  var number = 0
  var description: String { "fault \(number)" }
}

@Suite struct ConcurrencyTests {
  // MARK: Clock

  @Test func sleepersWakeWhenTheirTimeHasCome() async throws {
    let clock = VirtualClock()
    let calls = Calls()
    let early = Task {
      try await clock.sleep(for: ms(100))
      calls.add("early")
    }
    let late = Task {
      try await clock.sleep(for: ms(300))
      calls.add("late")
    }
    await clock.untilSleepers(2)
    clock.advance(by: ms(99))
    #expect(clock.sleeperCount == 2)
    #expect(clock.advanceToNextDeadline() == ms(1))
    try await early.value
    #expect(calls.list == ["early"])
    #expect(clock.advanceToNextDeadline() == ms(200))
    try await late.value
    #expect(clock.now == ms(300))
    #expect(clock.advanceToNextDeadline() == nil)
    try await clock.sleep(for: .zero)
  }

  @Test func cancelledSleepersWakeAtOnce() async {
    let clock = VirtualClock()
    let sleeper = Task { try await clock.sleep(for: ms(100)) }
    await clock.untilSleepers(1)
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
    let (open, opener) = AsyncStream<Void>.makeStream()
    let late = Task {
      for await _ in open {}
      try await clock.sleep(for: ms(100))
    }
    late.cancel()
    opener.finish()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  // MARK: Retry

  @Test func retriesHappenAtTheirTimes() async {
    let clock = VirtualClock()
    let calls = Calls()
    let work = Task {
      try await RetryPolicy().run(on: clock) { () async throws -> Int in
        calls.add("\(clock.now.inSeconds)")
        throw Fault(number: calls.list.count)
      }
    }
    for _ in 0..<3 {
      await clock.untilSleepers(1)
      clock.advanceToNextDeadline()
    }
    await #expect(throws: Fault(number: 4)) { try await work.value }
    #expect(calls.list == ["0.0", "0.1", "0.3", "0.7"])
  }

  @Test(arguments: [CircuitOpenError(retryAt: nil) as any Error, CancellationError()])
  func someErrorsAreNotRetried(_ error: any Error) async {
    let calls = Calls()
    await #expect(throws: (any Error).self) {
      try await RetryPolicy().run(on: VirtualClock()) { () async throws -> Int in
        calls.add("call")
        throw error
      }
    }
    #expect(calls.list == ["call"])
  }

  @Test func cancelledWaitsEndRetries() async {
    let clock = VirtualClock()
    let calls = Calls()
    let work = Task {
      try await RetryPolicy().run(on: clock) { () async throws -> Int in
        calls.add("call")
        throw Fault()
      }
    }
    await clock.untilSleepers(1)
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(calls.list == ["call"])
  }

  // MARK: Orchestrator

  static func orchestrator(
    _ calls: Calls, clock: VirtualClock, gate: Bool = true, rules: CircuitBreaker.Rules = .compat,
    retries: Int = 0, recovered: Int? = nil, work: @escaping @Sendable (Int) async throws -> Int
  ) -> Orchestrator<Int, Int> {
    var retry = RetryPolicy()
    retry.retries = retries
    return Orchestrator(
      time: clock, breaker: CircuitBreaker(rules: rules), retry: retry,
      gate: {
        calls.add("gate")
        return gate
      },
      work: {
        calls.add("work \($0)")
        return try await work($0)
      },
      recovery: {
        calls.add("recovery from \($0)")
        return recovered
      })
  }

  @Test func gateThenWork() async {
    let calls = Calls()
    let orchestrator = Self.orchestrator(calls, clock: VirtualClock()) { $0 * 2 }
    guard case .done(42) = await orchestrator.run(21) else { return #expect(Bool(false), "not done") }
    #expect(calls.list == ["gate", "work 21"])
  }

  @Test func aClosedGateEndsTheRunFirst() async {
    let calls = Calls()
    let orchestrator = Self.orchestrator(calls, clock: VirtualClock(), gate: false) { $0 }
    guard case .refused = await orchestrator.run(1) else { return #expect(Bool(false), "not refused") }
    #expect(calls.list == ["gate"])
  }

  @Test func failuresAreRecoveredAndAnOpenBreakerKeepsTheWorkAway() async {
    let calls = Calls()
    let clock = VirtualClock()
    let orchestrator = Self.orchestrator(calls, clock: clock, recovered: 9) { throw Fault(number: $0) }
    guard case .failed(let error, recovered: 9) = await orchestrator.run(1) else {
      return #expect(Bool(false), "not recovered")
    }
    #expect(error as? Fault == Fault(number: 1))
    #expect(await orchestrator.breakerPhase == .open)
    guard case .failed(is CircuitOpenError, recovered: 9) = await orchestrator.run(2) else {
      return #expect(Bool(false), "not open")
    }
    let open = "the circuit is open: too many calls failed; the next trial is at 5.0 s"
    #expect(calls.list == ["gate", "work 1", "recovery from fault 1", "gate", "recovery from \(open)"])
    clock.advance(by: .seconds(5))
    _ = await orchestrator.run(3)
    #expect(calls.list.suffix(3) == ["gate", "work 3", "recovery from fault 3"])
  }

  @Test func retriesGoThroughTheBreaker() async {
    let calls = Calls()
    let clock = VirtualClock()
    var rules = CircuitBreaker.Rules()
    rules.consecutiveFailures = 2
    let orchestrator = Self.orchestrator(calls, clock: clock, rules: rules, retries: 3) {
      throw Fault(number: $0)
    }
    let run = Task { await orchestrator.run(7) }
    for _ in 0..<2 {
      await clock.untilSleepers(1)
      clock.advanceToNextDeadline()
    }
    guard case .failed(is CircuitOpenError, recovered: nil) = await run.value else {
      return #expect(Bool(false), "the second failure opens the breaker, which ends the retries")
    }
    #expect(calls.list.filter { $0.hasPrefix("work") }.count == 2)
  }

  @Test func cancellationIsNoFailure() async {
    let calls = Calls()
    let clock = VirtualClock()
    let orchestrator = Self.orchestrator(calls, clock: clock) {
      try await clock.sleep(for: .seconds(1))
      return $0
    }
    let run = Task { await orchestrator.run(1) }
    await clock.untilSleepers(1)
    run.cancel()
    guard case .cancelled = await run.value else { return #expect(Bool(false), "not cancelled") }
    #expect(await orchestrator.breakerPhase == .closed)
    #expect(calls.list == ["gate", "work 1"])
  }

  // MARK: Detection loop

  static let frame = CapturedFrame(name: "f", image: nil, imageSize: PixelSize(width: 8, height: 8))

  static func loop(
    _ clock: VirtualClock, log: any LogSink = SilentLog(), gate: Bool = true,
    work: @escaping @Sendable () async throws -> [Detection]
  ) -> DetectionLoop {
    var retry = RetryPolicy()
    retry.retries = 0
    return DetectionLoop(
      work: Orchestrator(time: clock, retry: retry, gate: { gate }, work: { _ in try await work() }),
      time: clock, log: log)
  }

  @Test func oneDetectionAtATime() async {
    let clock = VirtualClock()
    let loop = Self.loop(clock) {
      try await clock.sleep(for: .seconds(1))
      return [detection()]
    }
    let first = Task { await loop.process(Self.frame) }
    await clock.untilSleepers(1)
    clock.advance(by: ms(500))
    #expect(await loop.isProcessing)
    #expect(await loop.process(Self.frame) == .skipped)
    clock.advance(by: ms(500))
    let objects = await first.value
    #expect(objects == .updated(await loop.objects))
    #expect(await loop.objects.map(\.sightings) == [1])
    #expect(await !loop.isProcessing)
  }

  @Test func theFlagIsClearedWhenTheDetectorThrows() async {
    let clock = VirtualClock()
    let log = RecordingLog()
    let loop = Self.loop(clock, log: log) { throw Fault(number: 3) }
    #expect(await loop.process(Self.frame) == .failed)
    #expect(await !loop.isProcessing)
    clock.advance(by: ms(299))
    #expect(await loop.process(Self.frame) == .skipped)
    clock.advance(by: ms(1))
    #expect(await loop.process(Self.frame) == .failed)
    let line = RecordingLog.Line(.error, "detection in frame f failed: fault 3")
    #expect(log.lines == [line, line])
  }

  @Test func theFlagIsClearedWhenTheTaskIsCancelled() async {
    let clock = VirtualClock()
    let loop = Self.loop(clock) {
      try await clock.sleep(for: .seconds(1))
      return []
    }
    let run = Task { await loop.process(Self.frame) }
    await clock.untilSleepers(1)
    run.cancel()
    #expect(await run.value == .cancelled)
    #expect(await !loop.isProcessing)
  }

  @Test func theFlagIsClearedWhenTheGateIsClosed() async {
    let loop = Self.loop(VirtualClock(), gate: false) { [] }
    #expect(await loop.process(Self.frame) == .refused)
    #expect(await !loop.isProcessing)
  }

  @Test func framesWithoutPictureSayWhatToDo() async {
    struct Never: Detector {
      func detect(in picture: RGBImage) -> [UprightDetection] { [] }
    }
    await #expect(throws: DetectionLoopError.noPicture(frame: "f")) {
      try await Never().detect(in: Self.frame)
    }
  }

  @Test func detectionsComeBackInTheStoredPicture() async throws {
    struct Corner: Detector {
      func detect(in picture: RGBImage) -> [UprightDetection] {
        [uprightDetection(x: 0, y: 0, side: Double(picture.width))]
      }
    }
    // 4 wide and 6 high once upright: a quarter turn clockwise, so upright top-left is stored bottom-left.
    let frame = CapturedFrame(
      name: "f", image: RGBImage(width: 6, height: 4), imageSize: PixelSize(width: 6, height: 4),
      orientation: .right)
    let found = try await Corner().detect(in: frame)
    #expect(found.map(\.box) == [Rect(x: 0, y: 0, width: 4, height: 4)])
  }

  // MARK: Snapshots

  @Test func slowListenersGetTheNewestSnapshot() async {
    let stream = SnapshotStream(0)
    let first = stream.snapshots()
    let second = stream.snapshots()
    for value in 1...4 { stream.update { $0 = value } }
    stream.finish()
    var seen: [Int] = []
    for await value in first { seen.append(value) }
    #expect(seen == [4])
    for await value in second { seen.append(value) }
    for await value in stream.snapshots() { seen.append(value) }
    #expect(seen == [4, 4, 4], "after the end there is one last snapshot")
    #expect(stream.current == 4)
  }
}
