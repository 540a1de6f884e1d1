import AppCore
import FileFormats
import Geometry
import Testing

/// Times in milliseconds read well in tables.
func ms(_ value: Int) -> Duration { .milliseconds(value) }

func detection(
  _ id: Int = 0, classId: Int = 0, confidence: Float = 0.9, x: Double = 0, y: Double = 0, side: Double = 100
) -> Detection {
  Detection(
    id: id, classId: classId, className: "class \(classId)", confidence: confidence,
    box: Rect(x: x, y: y, width: side, height: side))
}

@Suite struct LoopRulesTests {
  @Test func throttleNeedsIdlenessAndDistanceOfStarts() {
    var throttle = DetectionThrottle()
    #expect(throttle.begin(at: ms(0)) == true)
    #expect(throttle.begin(at: ms(400)) == false, "one runs")
    throttle.finish()
    #expect(throttle.begin(at: ms(400)) == true, "the distance counts from the start, not from the end")
    throttle.finish()
    #expect(throttle.begin(at: ms(699)) == false)
    #expect(throttle.begin(at: ms(700)) == true, "exactly the interval is enough")
    #expect(throttle.lastStart == ms(700))
  }

  @Test func filterSortsBeforeItCuts() {
    let found = [0.76, 0.8, 0.75, 0.99, 0.8, 0.9, 0.77, Float.nan].enumerated().map {
      detection($0.offset, confidence: $0.element)
    }
    #expect(DetectionFilter().apply(found).map(\.id) == [3, 5, 1, 4, 6])
    #expect(DetectionFilter(threshold: 0.8).apply(found).map(\.id) == [3, 5], "the threshold itself fails")
    #expect(DetectionFilter(threshold: 0, limit: 0).apply(found).isEmpty)
  }

  @Test func retriesWaitTwiceAsLongEachTimeUpToTheCap() {
    let delays = (0...6).map { RetryPolicy().delay(beforeRetry: $0) }
    #expect(delays == [100, 200, 400, 800, 1600, 2000, 2000].map(ms))
  }

  @Test func levelsHaveIntervalsAndAutomaticFollowsTheScore() {
    #expect(PerformanceLevel.low.interval(score: 1) == ms(600))
    #expect(PerformanceLevel.normal.interval(score: 0.3) == ms(300))
    #expect(PerformanceLevel.high.interval(score: 1) == ms(150))
    #expect(PerformanceLevel.automatic.interval(score: 1) == ms(300))
    #expect(PerformanceLevel.automatic.interval(score: 0.75) == ms(400))
    #expect(PerformanceLevel.automatic.interval(score: 0.3) == ms(600), "1 s is cut to 0.6 s")
    #expect(PerformanceLevel.automatic.interval(score: 4) == ms(150))
  }

  @Test(arguments: [
    (ThermalState.nominal, nil as Double?, true, MemoryPressure.normal, 1.0),
    (.fair, nil, true, .normal, 0.9), (.serious, nil, true, .normal, 0.7),
    (.critical, nil, true, .normal, 0.5), (.nominal, 0.19, false, .normal, 0.7),
    (.nominal, 0.2, false, .normal, 1), (.nominal, 0.1, true, .normal, 1), (.nominal, nil, false, .normal, 1),
    (.nominal, nil, true, .medium, 1), (.nominal, nil, true, .high, 0.7),
    (.fair, 0.1, false, .critical, 0.9 * 0.7 * 0.7), (.critical, 0.1, false, .high, 0.3),
  ])
  func scoreMultipliesTroubles(
    _ thermal: ThermalState, _ battery: Double?, _ isPluggedIn: Bool, _ memory: MemoryPressure,
    _ expected: Double
  ) {
    let reading = HealthReading(thermal: thermal, battery: battery, isPluggedIn: isPluggedIn)
    #expect(HealthScore.score(reading, memory: memory) == expected)
  }

  @Test func performanceTellsChangesOnly() {
    var performance = AdaptivePerformance(level: .automatic)
    #expect(performance.update(HealthReading(), memory: .normal) == nil)
    let hot = performance.update(HealthReading(thermal: .critical), memory: .normal)
    #expect(hot == performance.state)
    #expect(hot?.score == 0.5)
    #expect(hot?.interval == ms(600))
    #expect(hot?.canProcess == false)
    #expect(performance.update(HealthReading(thermal: .critical), memory: .normal) == nil)
    let full = performance.update(HealthReading(), memory: .critical)
    #expect(full?.canProcess == false)
    #expect(performance.update(HealthReading(), memory: .high)?.canProcess == true)
  }

  @Test func memoryLevelsHaveAMarginOnTheWayDown() {
    var watch = MemoryWatch(budget: 200)
    let readings: [(Int, MemoryPressure?)] = [
      (119, nil), (120, .medium), (111, nil), (110, nil), (109, .normal), (160, .high), (150, nil),
      (149, .medium), (190, .critical), (180, nil), (179, .high), (190, .critical), (0, .normal),
      (1_000_000, .critical), (115, .medium),
    ]
    for (bytes, expected) in readings { #expect(watch.update(bytes: bytes) == expected, "\(bytes)") }
  }

  @Test func everyMemoryLevelHasItsActions() {
    #expect(MemoryPressure.normal.actions == [])
    #expect(MemoryPressure.medium.actions == [.dropObjects(olderThan: .seconds(20))])
    #expect(
      MemoryPressure.high.actions == [.clearInactiveOverlays, .dropObjects(olderThan: .seconds(10))])
    #expect(MemoryPressure.critical.actions == [.keepOnlyActiveOverlay, .dropAllButCurrentObjects])
  }

  @Test func conditionsTellMemoryFirstThenPerformanceThenTheRate() {
    var conditions = LiveConditions(level: .automatic, memoryBudget: 100)
    let changes = conditions.update(
      health: HealthReading(thermal: .serious), heldBytes: 85, at: .zero)
    #expect(
      changes == [
        .pressure(.high), .performance(conditions.performance.state), .frameRate(30),
      ])
    #expect(conditions.performance.state.interval == ms(600), "0.3 / (0.7 * 0.7) is over 0.6")
    #expect(conditions.update(at: ms(1)) == [])
  }

  @Test func hotDevicesShowHalfTheFramesUntilCoolForTenSeconds() {
    var rate = ThermalFrameRate()
    #expect(rate.update(.fair, at: .zero) == nil)
    #expect(rate.update(.serious, at: ms(1)) == 30)
    #expect(rate.update(.critical, at: ms(2)) == nil)
    #expect(rate.update(.fair, at: ms(1_000)) == nil)
    #expect(rate.recoveryTime == ms(11_000))
    #expect(rate.update(.nominal, at: ms(10_999)) == nil)
    #expect(rate.update(.serious, at: ms(10_999)) == nil, "hot again: the wait starts over")
    #expect(rate.recoveryTime == nil)
    #expect(rate.update(.nominal, at: ms(12_000)) == nil)
    #expect(rate.update(.fair, at: ms(22_000)) == 60)
    #expect(rate.recoveryTime == nil)
  }

  @Test func pacerKeepsEverySecondFrameOfTwiceTheRate() {
    var pacer = FramePacer(framesPerSecond: 30)
    let taken = (0..<10).filter { pacer.take(at: .nearest(seconds: Double($0) / 60)) }
    #expect(taken == [0, 2, 4, 6, 8])
    #expect(pacer.take(at: .seconds(5)) == true, "after a gap the next frame is due")
    #expect(pacer.take(at: .seconds(5) + ms(32)) == false)
    #expect(pacer.take(at: .seconds(5) + ms(33)) == true, "a millisecond early is near enough")
  }

  @Test func endurance() {
    var figures = EnduranceFigures()
    for _ in 0..<90 { figures.frameShown() }
    figures.memoryRead(bytes: 195_000_000, pressure: .critical, at: .seconds(1))
    figures.memoryRead(bytes: 196_000_000, pressure: .critical, at: .seconds(1.5))
    figures.memoryRead(bytes: 100_000_000, pressure: .normal, at: .seconds(1.75))
    #expect(
      figures.json(duration: .seconds(3))
        == ["sustainedFramesPerSecond": 30.0, "peakMemoryMB": 196.0, "recoverySeconds": 0.75])
  }

  @Test func usageIsCountedOnRequestOnly() {
    var off = UsageCounters()
    off.count(.sessions)
    #expect(off[.sessions] == 0)
    #expect(off.json == .null)
    var on = UsageCounters(isEnabled: true)
    on.count(.detections)
    on.count(.detections)
    #expect(
      on.json
        == ["sessions": 0, "framesShown": 0, "framesDropped": 0, "detections": 2, "failures": 0])
  }
}
