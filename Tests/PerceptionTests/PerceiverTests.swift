import AppCore
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import Perception
import Synchronization
import TestSupport
import Testing

/// The flow on one frame, by the networks of this package and by those of others.
@Suite struct PerceiverTests {
  // MARK: Networks of others

  /// Finds the same objects in every picture, and keeps what it was asked.
  final class FixedObjects: ObjectNetwork {
    private let objects: [DetectedObject]
    private let failure: (any Error)?
    private let requests = Mutex<[DetectionThresholds]>([])

    init(_ objects: [DetectedObject], failure: (any Error)? = nil) {
      self.objects = objects
      self.failure = failure
    }

    var asked: [DetectionThresholds] { requests.withLock { $0 } }
    var name: String { "fixed" }
    var classNames: [String] { ["cup", "chair"] }
    var form: ObjectForm { .boxes }
    var suppressesOverlaps: Bool { true }
    var inputText: String { "any" }
    var weights: WeightSource { WeightSource(file: "fixed.weights") }

    func detect(_ picture: RGBImage, _ request: DetectionRequest) throws -> DetectedObjects {
      requests.withLock { $0.append(request.thresholds) }
      if let failure { throw failure }
      return DetectedObjects(
        objects, in: PixelSize(width: picture.width, height: picture.height),
        timings: StageTimings(
          preprocess: .milliseconds(1), inference: .milliseconds(2), postprocess: .milliseconds(3)))
    }

    func running(on pool: ThreadPool) -> FixedObjects { self }
  }

  /// One depth everywhere, or why there is none.
  struct FixedDepth: DepthNetwork {
    var output = DepthOutput.metric(greatest: 20)
    var meters: Float = 2
    var failure: DepthError?

    var name: String { "fixed depth" }
    var weights: WeightSource { WeightSource(file: "depth.weights") }

    func estimate(_ picture: RGBImage, sensor: Plane<Float>?) throws -> DepthEstimate {
      if let failure { throw failure }
      return DepthEstimate(
        depth: Plane(width: picture.width, height: picture.height, fill: meters),
        networkSize: PixelSize(width: 14, height: 14),
        timings: StageTimings(preprocess: .zero, inference: .zero, postprocess: .zero))
    }

    func running(on pool: ThreadPool) -> FixedDepth { self }
  }

  private static let things = [
    DetectedObject(
      classIndex: 0, className: "cup", confidence: 0.9, box: Rect(x: 4.00006, y: 4, width: 16, height: 16)),
    DetectedObject(
      classIndex: 1, className: "chair", confidence: 0.8, box: Rect(x: 24, y: 8, width: 20, height: 20)),
    DetectedObject(
      classIndex: 0, className: "cup", confidence: 0.7, box: Rect(x: 30, y: 30, width: 9, height: 9)),
  ]

  /// A picture of 64x48 pixels with 1.5 m everywhere, or without depth.
  private static func frame(
    _ orientation: Orientation = .up, hasDepth: Bool = true, hasPicture: Bool = true
  ) throws -> CapturedFrame {
    let pixels = (0..<64 * 48 * 3).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ $0 / 53) }
    return CapturedFrame(
      name: "f", image: hasPicture ? RGBImage(width: 64, height: 48, pixels: pixels) : nil,
      imageSize: PixelSize(width: 64, height: 48),
      depth: hasDepth ? Plane(width: 32, height: 24, fill: 1.5) : nil,
      intrinsics: try Intrinsics(fx: 50, fy: 50, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48),
      orientation: orientation)
  }

  // MARK: Tests

  /// Small networks of this package: overlapped or not, on any pool, it is what each step gives by itself.
  @Test(arguments: [Orientation.up, .right])
  func aFrameIsPerceivedAsItsStepsSay(orientation: Orientation) async throws {
    let goldens = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"
    let pool = ThreadPool(threads: 2)
    let network = try YOLODetector(
      weights: WeightStore(path: "\(goldens)/yolo11-tiny-n.safetensors"),
      input: .fixed(height: 64, width: 64),
      pool: pool)
    let depth = try DepthAnythingV2(
      weights: WeightStore(path: "\(goldens)/depth-tiny.safetensors"), input: .lowerBound(28), pool: pool)
    let rules = ObjectRules(
      thresholds: DetectionThresholds(confidence: 0.01, overlap: 0.7, limit: 5))
    let perceiver = Perceiver(detector: ObjectDetector(network, rules: rules), depth: depth)
    let frame = try Self.frame(orientation)

    let upright = try #require(frame.image).oriented(orientation)
    let found = try network.detect(upright, thresholds: rules.thresholds).detections
      .map { $0.turnedBack(from: orientation, stored: frame.imageSize).asWritten }
    #expect(found.count == 5)
    let relative = RelativeDepth(try depth.estimate(upright).depth.oriented(orientation.inverse))
    let known = FrameDepth(EstimatedDepth(relative: relative), frame: frame)
    let extents = ExtentEstimator(
      scene: DepthScene(frame: frame, fused: known.metric, estimated: known.estimated)
    ).extents(of: found)

    let other = perceiver.running(on: ThreadPool(threads: 1))
    #expect(perceiver.isOverlapped && !other.isOverlapped)
    for perceived in [
      try await perceiver.perceive(frame), try perceiver.perceiveInTurn(frame),
      try await other.perceive(frame),
    ] {
      #expect(perceived.detections.map(\.box) == found.map(\.box))
      #expect(perceived.detections.map { $0.mask?.binary() } == found.map { $0.mask?.binary() })
      #expect(perceived.relative == relative)
      #expect(perceived.depth.fusion?.json == known.fusion?.json && known.fusion != nil)
      #expect(perceived.depth.metric?.values == known.metric?.values)
      #expect(ObjectExtent.json(perceived.extents) == ObjectExtent.json(extents))
      #expect(perceived.noEstimate == nil)
    }
  }

  @Test func eachStepTellsItsTimeInOrder() async throws {
    var perceiver = Perceiver(detector: ObjectDetector(FixedObjects(Self.things)), depth: FixedDepth())
    for isOverlapped in [true, false] {
      perceiver.isOverlapped = isOverlapped
      var steps: [String] = []
      _ = try await perceiver.perceive(Self.frame()) { timing in
        switch timing {
        case .upright: steps.append("upright")
        case .detection(let stages, let selection, _):
          #expect(stages.inference == .milliseconds(2) && selection == stages.postprocess)
          steps.append("detection")
        case .depth(_, let input, _):
          #expect(input == PixelSize(width: 14, height: 14))
          steps.append("depth")
        case .fusion: steps.append("fusion")
        case .measuring: steps.append("measuring")
        }
      }
      #expect(steps == ["upright", "detection", "depth", "fusion", "measuring"])
    }
  }

  /// Rules are values: a change reaches the next picture, and where classes are chosen the best of all may be others'.
  @Test func rulesChooseObjectsOfAnyDetector() throws {
    let network = FixedObjects(Self.things)
    var perceiver = Perceiver(detector: ObjectDetector(network))
    let frame = try Self.frame()
    let all = try perceiver.perceiveInTurn(frame)
    #expect(all.detections.map(\.className) == ["cup", "chair", "cup"])
    #expect(all.detections[0].box.minX == 4.0001, "numbers are those of files")
    #expect(all.extents.map(\.id) == [0, 1, 2])
    #expect(all.extents.allSatisfy { $0.distance.meters == 1.5 })
    perceiver.detector.rules.thresholds.limit = 1
    perceiver.detector.rules.thresholds.confidence = 0.25
    #expect(try perceiver.perceiveInTurn(frame).detections.map(\.className) == ["cup"])
    perceiver.detector.rules.classes = [1]
    #expect(try perceiver.perceiveInTurn(frame).detections.map(\.className) == ["chair"])
    #expect(network.asked.map(\.confidence) == [0.75, 0.25, 0.25])
    #expect(network.asked.map(\.limit) == [300, 1, 10_000])
  }

  @Test func whatAFrameLacksIsNotedOrSaidWhy() async throws {
    let detector = ObjectDetector(FixedObjects([]))
    let sensor = "distances come from the depth sensor alone"
    let none = try Perceiver(detector: detector).perceiveInTurn(Self.frame())
    #expect(none.relative == nil && none.depth.best == nil)
    #expect(none.notes.first == "no depth network: \(sensor)")
    #expect(none.notes.last == "no objects found")

    let picture = try Self.frame(hasDepth: false)
    #expect(try Perceiver(detector: detector).perceiveInTurn(picture).notes.first == "no depth network")
    let alone = try Perceiver(detector: detector, depth: FixedDepth()).perceiveInTurn(picture)
    #expect(alone.depth.metric == nil && alone.depth.best?.values[0, 0] == 2)
    #expect(alone.relative?.values[0, 0] == 0.5)
    #expect(alone.notes.first == "distances are the depth network's, from the picture alone")

    let reasons: [(DepthError, NoEstimate, note: String)] = [
      (.noPrompt, .noPrompt, "\(NoEstimate.noPrompt)"),
      (
        .tooElongated(picture.imageSize, bound: 28, largest: 14),
        .tooElongated(picture.imageSize, shorterSide: 28, largest: 14),
        "a 64x48 picture is too elongated for depth at --depth-size 28; give 14 or less, or crop it"
      ),
    ]
    for (failure, reason, note) in reasons {
      let perceiver = Perceiver(detector: detector, depth: FixedDepth(failure: failure))
      let perceived = try await perceiver.perceive(picture)
      #expect(perceived.noEstimate == reason && perceived.relative == nil)
      #expect(perceived.notes.first == note)
    }
  }

  /// A network's fault names its weights once, whether or not it names them itself.
  @Test func aNetworkThatFailsIsNamed() async throws {
    func failure(_ perceiver: Perceiver, _ frame: CapturedFrame) async -> String {
      do throws(PerceptionError) {
        _ = try await perceiver.perceive(frame)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let sound = ObjectDetector(FixedObjects([]))
    let frame = try Self.frame()
    let bad = Perceiver(
      detector: sound, depth: FixedDepth(failure: .nonFiniteOutput))
    #expect(await failure(bad, frame) == "depth.weights: \(DepthError.nonFiniteOutput)")
    let changed = WeightError(.file(.changed(path: "fixed.weights")), file: "fixed.weights")
    for error in [changed as any Error, YOLOError.weights(changed), NetworkError.yolo(.weights(changed))] {
      let perceiver = Perceiver(
        detector: ObjectDetector(FixedObjects([], failure: error)), depth: FixedDepth())
      #expect(await failure(perceiver, frame) == "\(changed)")
    }
    #expect(await failure(bad, try Self.frame(hasPicture: false)) == "f: the frame has no picture")
  }

  /// The live loop asks for each picture alone, and for a sensor only where the network needs one.
  @Test func theLiveLoopAsksTheSameNetworks() async throws {
    let perceiver = Perceiver(
      detector: ObjectDetector(FixedObjects(Array(Self.things.dropFirst()))), depth: FixedDepth())
    let frame = try Self.frame(.right)
    let perceived = try await perceiver.perceive(frame)
    let detected = try await perceiver.detector.detect(in: frame)
    #expect(detected.map(\.box) == perceived.detections.map(\.box))
    let estimator = try #require(perceiver.depthEstimator)
    #expect(estimator.needsNoSensor)
    #expect(try await estimator.depth(of: frame)?.relative == perceived.relative)
    let relative = Perceiver(detector: perceiver.detector, depth: FixedDepth(output: .relative))
    #expect(relative.depthEstimator?.needsNoSensor == false)
    #expect(Perceiver(detector: perceiver.detector).depthEstimator == nil)
  }
}
