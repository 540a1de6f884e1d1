import AppCore
import FileFormats
import Geometry
import Imaging
import Synchronization
import TestSupport
import Testing

@Suite struct FlowTests {
  // MARK: Machine

  static let events: [DetectionFlow.Event] = [
    .loaded(.detector), .loadFailed(.depth, reason: "r"), .retryLoading, .detect, .detected(objects: 2),
    .detectionFailed(reason: "r"), .cancelDetection, .tap(objectId: 1), .choose(.smoke), .dismissPicker,
    .back,
  ]

  static func flow(_ events: [DetectionFlow.Event]) throws -> DetectionFlow {
    var flow = DetectionFlow()
    for part in Preload.allCases { try flow.take(.loaded(part)) }
    for event in events { try flow.take(event) }
    return flow
  }

  @Test func everyEventIsLegalExactlyWhereItShouldBe() throws {
    let legal: [(DetectionFlow, Set<Int>)] = [
      (DetectionFlow(), [0, 1]), (try Self.flow([]), [3]), (try Self.flow([.detect]), [3, 4, 5, 6]),
      (try Self.flow([.detect, .detected(objects: 1)]), [7, 10]),
      (try Self.flow([.detect, .detected(objects: 1), .tap(objectId: 0)]), [8, 9]),
    ]
    for (flow, expected) in legal {
      for (number, event) in Self.events.enumerated() {
        var changed = flow
        let isLegal: Bool
        do throws(FlowError) {
          try changed.take(event)
          isLegal = true
        } catch {
          isLegal = false
          #expect(error == .illegal(event: event, phase: flow.phase))
          #expect(changed == flow, "a rejected event changes nothing")
        }
        #expect(isLegal == expected.contains(number), "\(event) while \(flow.phase)")
      }
    }
  }

  @Test func theWholeWay() throws {
    var flow = DetectionFlow()
    #expect(!flow.canDetect)
    try flow.take(.loaded(.effects))
    try flow.take(.loadFailed(.depth, reason: "no file"))
    try flow.take(.loaded(.detector))
    #expect(flow.phase == .loading, "a failure is not ready")
    #expect(flow.failures == [.depth: "no file"])
    try flow.take(.retryLoading)
    try flow.take(.loaded(.depth))
    #expect(flow.phase == .live && flow.failures.isEmpty && flow.canDetect)
    try flow.take(.detect)
    try flow.take(.detected(objects: 0))
    #expect(flow.phase == .live, "without objects the view stays live")
    try flow.take(.detect)
    try flow.take(.detectionFailed(reason: "network"))
    #expect(flow.phase == .live && flow.lastFailure == "network")
    try flow.take(.detect)
    #expect(flow.lastFailure == nil)
    try flow.take(.detected(objects: 2))
    try flow.take(.tap(objectId: 1))
    #expect(flow.phase == .picking(objectId: 1))
    try flow.take(.choose(.smoke))
    try flow.take(.back)
    #expect(flow.phase == .live)
    #expect(DetectionFlow(requiring: []).phase == .live)
  }

  // MARK: Session

  /// A detector that answers when the test asks it to.
  final class HeldDetector: Detector {
    private let latest = Mutex<AsyncStream<[UprightDetection]>.Continuation?>(nil)
    let calls = Calls()

    func answer(_ found: [UprightDetection]) { latest.withLock { _ = $0?.yield(found) } }

    func detect(in picture: RGBImage) async throws -> [UprightDetection] {
      let (stream, continuation) = AsyncStream<[UprightDetection]>.makeStream()
      latest.withLock { $0 = continuation }
      calls.add("detect")
      for await found in stream { return found }
      throw CancellationError()
    }
  }

  struct FixedDetector: Detector {
    let found: [UprightDetection]
    func detect(in picture: RGBImage) -> [UprightDetection] { found }
  }

  struct FailingDetector: Detector {
    func detect(in picture: RGBImage) throws -> [UprightDetection] { throw Fault(number: 3) }
  }

  struct FixedDepth: DepthEstimator {
    func depth(of picture: RGBImage, sensor: Plane<Float>?) -> EstimatedDepth {
      EstimatedDepth(relative: RelativeDepth(Plane(width: 2, height: 2, elements: [1, 2, 3, 4])))
    }
  }

  static func frame(_ name: String = "f") throws -> CapturedFrame {
    let size = PixelSize(width: 64, height: 48)
    return CapturedFrame(
      name: name, image: RGBImage(width: 64, height: 48), imageSize: size,
      depth: Plane(width: 32, height: 24, fill: 1.5),
      intrinsics: try Intrinsics(fx: 50, fy: 50, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48))
  }

  static func session(
    _ detector: any Detector, depth: (any DepthEstimator)? = nil, time: any TimeSource = VirtualClock(),
    loaders: [Preload: FlowSession.Loader] = [:]
  ) -> (FlowSession, SpyScene) {
    let scene = SpyScene()
    let stage = EffectStage(time: time, pool: PlayerPool(factory: SpyFactory()), scene: scene)
    return (FlowSession(detector: detector, depth: depth, stage: stage, time: time, loaders: loaders), scene)
  }

  static let things = [
    uprightDetection(0, x: 8, y: 8, side: 16), uprightDetection(1, x: 36, y: 20, side: 20),
  ]

  @Test func aPartThatFailsToLoadLeavesDetectionDisabledUntilItLoads() async throws {
    let isFixed = Mutex(false)
    let (session, _) = Self.session(
      FixedDetector(found: []),
      loaders: [
        .detector: {}, .effects: {},
        .depth: { if !isFixed.withLock({ $0 }) { throw Fault() } },
      ])
    await session.load()
    #expect(session.current.flow.phase == .loading)
    #expect(session.current.flow.failures == [.depth: "fault 0"])
    await #expect(throws: FlowError.illegal(event: .detect, phase: .loading)) {
      try await session.detect(Self.frame())
    }
    isFixed.withLock { $0 = true }
    await session.load()
    #expect(session.current.flow.phase == .live)
  }

  @Test func fromDetectionToPlacedEffect() async throws {
    let (session, scene) = Self.session(FixedDetector(found: Self.things), depth: FixedDepth())
    try await session.detect(Self.frame())
    let results = try #require(session.current.results)
    #expect(results.extents.map(\.id) == [0, 1])
    #expect(results.extents.allSatisfy { $0.distance.meters == 1.5 })
    #expect(session.current.status == "2 objects detected (0ms)")
    let view = ViewMapping<UprightPixels, ViewPoints>(
      source: results.frame.imageSize, targetWidth: 128, targetHeight: 96, mode: .aspectFill)
    #expect(try await session.tap(Point2(2, 2), view: view) == nil, "a tap beside every object")
    #expect(try await session.tap(Point2(90, 60), view: view) == 1)
    await #expect(throws: FlowError.placement(.unavailable(.dragonBreath))) {
      try await session.choose(.dragonBreath)
    }
    try await session.choose(.love)
    try await session.tap(objectId: 0)
    try await session.choose(.debugCube)
    try await session.tap(objectId: 0)
    try await session.dismissPicker()
    await #expect(throws: FlowError.noSuchObject(7)) { try await session.tap(objectId: 7) }
    #expect(session.current.queue.map(\.type) == [.love, .debugCube])
    await session.unqueue(at: 5)
    try await session.back()
    #expect(session.current.results == nil, "the snapshot is let go")
    #expect(session.current.queue.isEmpty && session.current.flow.phase == .live)
    #expect(session.current.effects.map(\.effect.type) == [.love, .debugCube])
    #expect(scene.calls.list == ["attach 0", "attach 1"])
    #expect(await session.removeEffect(0))
    #expect(session.current.effects.map(\.id) == [1])
    await session.clearEffects()
    #expect(session.current.effects.isEmpty)
  }

  @Test func anotherDetectionCancelsTheOneThatRuns() async throws {
    let detector = HeldDetector()
    let (session, _) = Self.session(detector)
    let first = Task { try await session.detect(Self.frame("first")) }
    for await snapshot in session.snapshots() where snapshot.flow.phase == .detecting { break }
    try await Waiting.until("a detection") { !detector.calls.list.isEmpty }
    let second = Task { try await session.detect(Self.frame("second")) }
    try await Waiting.until("the second detection") { detector.calls.list.count == 2 }
    #expect(session.current.flow.phase == .detecting, "the cancelled one ends nothing")
    detector.answer(Self.things)
    try await first.value
    try await second.value
    #expect(session.current.results?.frame.name == "second")
    #expect(detector.calls.list.count == 2)
  }

  @Test func aDetectionCanBeGivenUpAndAFailureIsTold() async throws {
    let detector = HeldDetector()
    let (session, _) = Self.session(detector)
    let run = Task { try await session.detect(Self.frame()) }
    try await Waiting.until("a detection") { !detector.calls.list.isEmpty }
    try await session.cancelDetection()
    try await run.value
    #expect(session.current.flow.phase == .live && session.current.results == nil)
    await #expect(throws: FlowError.illegal(event: .cancelDetection, phase: .live)) {
      try await session.cancelDetection()
    }
    let (failing, _) = Self.session(FailingDetector())
    try await failing.detect(Self.frame())
    #expect(failing.current.flow.phase == .live)
    #expect(failing.current.flow.lastFailure == "fault 3")
    #expect(failing.current.status == "detection failed: fault 3")
    let (empty, _) = Self.session(FixedDetector(found: []))
    try await empty.detect(Self.frame())
    #expect(empty.current.flow.phase == .live && empty.current.status == "0 objects detected (0ms)")
  }

  // MARK: Thresholds

  struct AskedNetwork: AdjustableDetector {
    let asked = Calls()
    let store: ThresholdStore

    func detect(in picture: RGBImage, thresholds: AdjustableThresholds) async throws -> [UprightDetection] {
      // A change while a detection is under way reaches the next one.
      store.current = try AdjustableThresholds(confidence: 0.3, overlap: 0.6)
      asked.add("\(thresholds.confidence) \(thresholds.overlap)")
      return []
    }
  }

  @Test func thresholdsChangeForTheNextDetection() async throws {
    let store = ThresholdStore()
    let network = AskedNetwork(store: store)
    let detector = ThresholdedDetector(network, store: store)
    for _ in 0..<2 { _ = try await detector.detect(in: RGBImage(width: 1, height: 1)) }
    #expect(network.asked.list == ["0.75 0.5", "0.3 0.6"])
    #expect(throws: ThresholdError.outOfRange(name: "confidence", value: 1.5)) {
      try AdjustableThresholds(confidence: 1.5, overlap: 0.5)
    }
    #expect(throws: ThresholdError.self) { try AdjustableThresholds(confidence: 0.5, overlap: .nan) }
    #expect(try AdjustableThresholds(json: store.current.json) == store.current)
    #expect(throws: ThresholdError.schema(found: nil)) { try AdjustableThresholds(json: [:]) }
    #expect(throws: ThresholdError.missing("overlap")) {
      try AdjustableThresholds(json: ["schema": "ardf.thresholds/1", "confidence": 0.5])
    }
  }

  // MARK: Crop policy

  /// Finds the left upper quarter of what it is shown, as a mask and as a grid.
  struct QuarterDetector: Detector {
    func detect(in picture: RGBImage) -> [UprightDetection] {
      let half = picture.width / 2
      var binary = Plane<UInt8>(width: picture.width, height: picture.height, fill: 0)
      for y in 0..<half { for x in 0..<half { binary[x, y] = 255 } }
      return [
        UprightDetection(
          id: 0, classId: 0, className: "quarter", confidence: 0.9,
          box: Rect(x: 0, y: 0, width: Double(half), height: Double(half)), mask: UprightMask(binary: binary)
        )
      ]
    }
  }

  @Test func aCenterCropIsMappedBackExactly() async throws {
    let detector = CenterCropDetector(QuarterDetector())
    for (width, height, x, y) in [(64, 40, 12.0, 0.0), (40, 64, 0, 12)] {
      let size = PixelSize(width: width, height: height)
      let found = try await detector.detect(in: RGBImage(width: width, height: height))[0]
        .turnedBack(from: .up, stored: size)
      #expect(found.box == Rect(x: x, y: y, width: 20, height: 20))
      let mask = try #require(found.mask)
      #expect(mask.imageSize == size)
      for (px, py) in [(x, y), (x + 19, y + 19), (x + 20, y), (x + 25, y + 25)] {
        let inside = px < x + 20 && py < y + 20
        #expect(mask.probability(at: Point2(px + 0.5, py + 0.5)) == (inside ? 1 : 0))
      }
      let binary = mask.binary()
      #expect(binary.elements.count { $0 == 255 } == 400)
      #expect(binary[Int(x), Int(y)] == 255)
    }
  }
}
