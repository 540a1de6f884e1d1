import AppCore
import Geometry
import Imaging
import Synchronization
import Testing

@Suite struct LiveSessionTests {
  /// A camera whose frames the test sends.
  struct Camera: FrameSource {
    let stream: AsyncThrowingStream<CapturedFrame, any Error>
    let shutter: AsyncThrowingStream<CapturedFrame, any Error>.Continuation

    init() { (stream, shutter) = AsyncThrowingStream.makeStream() }
    func frames() -> AsyncThrowingStream<CapturedFrame, any Error> { stream }
  }

  /// A screen that takes its time on the virtual clock, and fails for some frames.
  struct Screen: RenderSink {
    let clock: VirtualClock
    let service: Duration
    let calls = Calls()
    var broken: Set<String> = []

    func present(_ frame: CapturedFrame, state: LiveSnapshot) async throws {
      let objects = state.objects
      try await clock.sleep(for: service)
      if broken.contains(frame.name) { throw Fault() }
      calls.add(objects.isEmpty ? frame.name : "\(frame.name)+\(objects.count)")
    }
  }

  struct SlowDetector: Detector {
    let clock: VirtualClock
    let service: Duration

    func detect(in picture: RGBImage) async throws -> [UprightDetection] {
      try await clock.sleep(for: service)
      return [uprightDetection()]
    }
  }

  static func frame(_ number: Int) -> CapturedFrame {
    CapturedFrame(
      name: "\(number)", image: RGBImage(width: 2, height: 2), imageSize: PixelSize(width: 2, height: 2))
  }

  /// Returns once the session's state satisfies the condition.
  static func until(_ session: LiveSession, _ condition: (LiveSnapshot) -> Bool) async {
    for await snapshot in session.snapshots() where condition(snapshot) { return }
    Issue.record("the session ended too soon")
  }

  @Test func theThirdFrameInFlightIsDroppedAndTheOthersAreShownInOrder() async throws {
    let clock = VirtualClock()
    let camera = Camera()
    let screen = Screen(clock: clock, service: ms(100))
    let session = LiveSession(
      source: camera, sink: screen,
      surroundings: LiveSurroundings(time: clock, memory: ScriptedMemory()))
    let run = Task { try await session.run() }
    for number in 0..<4 {
      camera.shutter.yield(Self.frame(number))
      await Self.until(session) { $0.framesSeen == number + 1 }
      clock.advance(by: ms(20))
    }
    #expect(screen.calls.list == [])
    camera.shutter.finish()
    for _ in 0..<2 {
      await clock.untilSleepers(1)
      clock.advanceToNextDeadline()
    }
    let report = try await run.value
    #expect(screen.calls.list == ["0", "1"])
    #expect(report.snapshot.framesSeen == 4)
    #expect(report.snapshot.framesShown == 2)
    #expect(report.snapshot.framesDropped == 2)
    #expect(report.gate.inFlight == 0)
    #expect(report.gate.dropped == 2)
    #expect(report.pool.lent == 0)
    #expect(report.pool.leaked == 0)
    #expect(report.pool.allocated == 2)
    #expect(report.jitter?.p50 == ms(100))
  }

  @Test func aStalledDetectorDropsNoFrames() async throws {
    let clock = VirtualClock()
    let camera = Camera()
    let screen = Screen(clock: clock, service: ms(1))
    let session = LiveSession(
      source: camera, sink: screen, detector: SlowDetector(clock: clock, service: ms(200)),
      surroundings: LiveSurroundings(time: clock, memory: ScriptedMemory()))
    let run = Task { try await session.run() }
    for number in 0..<11 {
      camera.shutter.yield(Self.frame(number))
      // From the first frame on the detector sleeps beside the screen, until 200 ms have passed.
      await clock.untilSleepers(2)
      clock.advance(by: ms(1))
      await Self.until(session) { $0.framesShown == number + 1 }
      clock.advance(by: ms(16))
    }
    #expect(clock.sleeperCount == 1)
    clock.advanceToNextDeadline()
    await Self.until(session) { $0.detections == 1 }
    camera.shutter.yield(Self.frame(11))
    await clock.untilSleepers(1)
    clock.advance(by: ms(1))
    camera.shutter.finish()
    let report = try await run.value
    #expect(report.snapshot.framesShown == 12)
    #expect(report.snapshot.framesDropped == 0)
    // Of frames 1 to 10 the newest waits; frame 11 may come before the detector has taken it.
    #expect((9...10).contains(report.visionReplaced))
    #expect(screen.calls.list.last == "11+1")
    #expect(report.snapshot.objects.map(\.className) == ["class 0"])
    #expect(report.snapshot.detections == 1)
  }

  @Test func cancellingReturnsEveryPermitAndBuffer() async throws {
    let clock = VirtualClock()
    let camera = Camera()
    let screen = Screen(clock: clock, service: .seconds(1))
    let session = LiveSession(
      source: camera, sink: screen, detector: SlowDetector(clock: clock, service: .seconds(1)),
      surroundings: LiveSurroundings(time: clock, memory: ScriptedMemory()))
    let run = Task { try await session.run() }
    for number in 0..<2 {
      camera.shutter.yield(Self.frame(number))
      await Self.until(session) { $0.framesSeen == number + 1 }
      clock.advance(by: ms(17))
    }
    await clock.untilSleepers(2)
    run.cancel()
    let report = try await run.value
    #expect(screen.calls.list == [])
    #expect(report.gate.inFlight == 0)
    #expect(report.pool.lent == 0)
    #expect(report.pool.leaked == 0)
    #expect(report.snapshot.framesFailed == 2)
    #expect(report.snapshot.detections == 0)
    #expect(clock.sleeperCount == 0)
  }

  @Test func framesThatFailAreCountedAndGiveTheirPermitsBack() async throws {
    let clock = VirtualClock()
    let camera = Camera()
    let log = RecordingLog()
    var screen = Screen(clock: clock, service: .zero)
    screen.broken = ["0", "2"]
    let session = LiveSession(
      source: camera, sink: screen,
      surroundings: LiveSurroundings(time: clock, memory: ScriptedMemory(), log: log))
    let run = Task { try await session.run() }
    for number in 0..<4 {
      camera.shutter.yield(Self.frame(number))
      await Self.until(session) { $0.framesShown + $0.framesFailed == number + 1 }
      clock.advance(by: ms(17))
    }
    camera.shutter.finish(throwing: Fault(number: 8))
    await #expect(throws: Fault(number: 8)) { try await run.value }
    #expect(screen.calls.list == ["1", "3"])
    let line = RecordingLog.Line(.error, "a frame could not be shown: fault 0")
    #expect(log.lines == [line, line])
  }

  @Test func heatHalvesTheRateAndMemoryStopsDetections() async throws {
    let clock = VirtualClock()
    let camera = Camera()
    let health = ScriptedHealth()
    let memory = ScriptedMemory(bytes: 10_000_000)
    let log = RecordingLog()
    let session = LiveSession(
      source: camera, sink: Screen(clock: clock, service: .zero),
      detector: SlowDetector(clock: clock, service: .zero),
      surroundings: LiveSurroundings(time: clock, health: health, memory: memory, log: log))
    let run = Task { try await session.run() }
    func send(_ numbers: Range<Int>) async {
      for number in numbers {
        camera.shutter.yield(Self.frame(number))
        await Self.until(session) {
          $0.framesPaced + $0.framesShown == number + 1
        }
        clock.advance(by: ms(17))
      }
    }
    await send(0..<1)
    await Self.until(session) { $0.detections == 1 }
    health.reading = HealthReading(thermal: .serious)
    memory.set(bytes: 195_000_000)
    clock.advance(by: .seconds(1))
    await send(1..<5)
    await Self.until(session) { $0.detectionsRefused == 1 }
    camera.shutter.finish()
    let report = try await run.value
    #expect(report.snapshot.framesShown == 3)
    #expect(report.snapshot.framesPaced == 2)
    #expect(report.snapshot.frameRateLimit == 30)
    #expect(report.snapshot.pressure == .critical)
    #expect(!report.snapshot.performance.canProcess)
    // Two by two pixels of three bytes.
    #expect(report.snapshot.heldBytes == 195_000_012)
    #expect(report.endurance.peakBytes == 195_000_012)
    #expect(
      log.lines == [
        RecordingLog.Line(.info, "memory pressure is critical"),
        RecordingLog.Line(.info, "showing 30 frames a second"),
      ])
  }

  /// Its third frame cannot be read.
  struct Recording: CaptureSource {
    let layout = CaptureLayout.images
    let path = "memory"
    let frames = [0.0, 0.5, 0.75].map { FrameReference(name: "\($0)", timestamp: 100 + $0) }
    let skipped: [SkippedFrame] = []
    func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
      guard index < 2 else { throw .noSuchFrame(index: index, count: 2) }
      return LiveSessionTests.frame(index)
    }
    func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? { nil }
  }

  /// A rate instead of the timestamps, which lie half a second apart; the rounds follow at it too.
  @Test func recordingsComeAtTheRateAsked() async throws {
    let clock = VirtualClock(now: .seconds(3))
    let calls = Calls()
    let source = ReplaySource(Recording(), indices: [0, 1], repeats: 2, framesPerSecond: 50, time: clock)
    let run = Task {
      for try await frame in source.frames() { calls.add("\(frame.name) at \(clock.now.inSeconds)") }
    }
    for _ in 0..<3 {
      await clock.untilSleepers(1)
      #expect(clock.advanceToNextDeadline() == ms(20))
    }
    try await run.value
    #expect(calls.list == ["0 at 3.0", "1 at 3.02", "0 at 3.04", "1 at 3.06"])
  }

  @Test func recordingsComeAtTheirTimes() async throws {
    let clock = VirtualClock(now: .seconds(3))
    let calls = Calls()
    let source = ReplaySource(Recording(), time: clock)
    #expect(source.count == 3)
    let run = Task {
      for try await frame in source.frames() { calls.add("\(frame.name) at \(clock.now.inSeconds)") }
    }
    await clock.untilSleepers(1)
    #expect(clock.advanceToNextDeadline() == ms(500))
    try await run.value
    #expect(calls.list == ["0 at 3.0", "1 at 3.5"])
    #expect(source.unreadable.map(\.name) == ["0.75"])
    // With a clock of its own nothing is waited for, and the clock shows the recording's times.
    let own = ReplayClock()
    let fast = ReplaySource(Recording(), indices: [0, 1], repeats: 2, clock: own)
    var times: [Double] = []
    for try await _ in fast.frames() { times.append(own.now.inSeconds) }
    #expect(times == [0, 0.5, 1, 1.5])
  }

  @Test func everyStreamOfARecordingBeginsWithItsFirstFrame() async throws {
    let source = ReplaySource(Recording(), indices: [1, 0], decodesFirst: true, clock: ReplayClock())
    var first = source.frames().makeAsyncIterator()
    #expect(try await first.next()?.name == "1")
    var names: [String] = []
    for try await frame in source.frames() { names.append(frame.name) }
    #expect(names == ["1", "0"])
    #expect(try await first.next()?.name == "0")
    #expect(try await first.next() == nil)
    let broken = ReplaySource(Recording(), indices: [2], clock: ReplayClock())
    await #expect(throws: CaptureError.noSuchFrame(index: 2, count: 2)) {
      for try await _ in broken.frames() {}
    }
  }

  /// A source of frames may be anyone's: timestamps that are no numbers, or run backwards, come at once.
  @Test func timestampsThatMakeNoSenseComeAtOnce() async throws {
    struct Wild: CaptureSource {
      let layout = CaptureLayout.images
      let path = "memory"
      let frames = [0, Double.nan, -1e300, 1e300].map { FrameReference(name: "\($0)", timestamp: $0) }
      let skipped: [SkippedFrame] = []
      func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
        LiveSessionTests.frame(index)
      }
      func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? { nil }
    }
    let clock = ReplayClock()
    var times: [Duration] = []
    for try await _ in ReplaySource(Wild(), clock: clock).frames() { times.append(clock.now) }
    #expect(times == [.zero, .zero, .zero, .seconds(86_400)])
  }

  // MARK: Replays

  struct FrameList: FrameSource {
    let count: Int
    let clock: ReplayClock

    func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
      let next = Calls()
      return AsyncThrowingStream {
        let number = next.list.count
        guard number < count else { return nil }
        next.add("")
        clock.move(to: ms(100 * number))
        return LiveSessionTests.frame(number)
      }
    }
  }

  final class NotingScreen: RenderSink, DetectionObserver {
    let calls = Calls()

    func present(_ frame: CapturedFrame, state: LiveSnapshot) async throws {
      calls.add("show \(frame.name) with \(state.objects.count)")
    }

    func detected(_ detections: [Detection], objects: [TrackedObject], in frame: CapturedFrame) async {
      calls.add("found \(detections.map(\.id)) \(objects.map(\.detectionId)) in \(frame.name)")
    }
  }

  struct OneThing: Detector {
    func detect(in picture: RGBImage) -> [UprightDetection] { [uprightDetection(4)] }
  }

  @Test(arguments: [
    (LiveConfiguration.Schedule.every(ms(250)), [0, 3, 6]), (.frames(["2", "5"]), [2, 5]),
    (.adaptive, [0, 3, 6]),
  ]) func inLockstepEveryFrameIsShownAndLookedAtWhenItIsDue(
    _ schedule: LiveConfiguration.Schedule, _ due: [Int]
  ) async throws {
    let clock = ReplayClock()
    let screen = NotingScreen()
    var configuration = LiveConfiguration()
    configuration.scheduling = .lockstep
    configuration.schedule = schedule
    let session = LiveSession(
      source: FrameList(count: 7, clock: clock), sink: screen, detector: OneThing(),
      surroundings: LiveSurroundings(time: clock, memory: ScriptedMemory(), observer: screen),
      configuration: configuration)
    let report = try await session.run()
    var expected: [String] = []
    for number in 0..<7 {
      if due.contains(number) { expected.append("found [4] [4] in \(number)") }
      expected.append("show \(number) with \(number >= due[0] ? 1 : 0)")
    }
    #expect(screen.calls.list == expected)
    #expect(report.snapshot.framesDropped == 0 && report.snapshot.framesShown == 7)
    #expect(report.pool.lent == 0 && report.gate.inFlight == 0)
    #expect(report.jitter?.p50 == ms(100))
  }
}
