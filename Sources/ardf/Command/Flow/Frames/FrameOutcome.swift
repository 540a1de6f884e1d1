import AppCore
import FileFormats
import Geometry
import Imaging
import Models
import Perception

/// The results of one frame, and the effects placed on it.
struct FrameOutcome: Sendable {
  let frame: CapturedFrame
  let perceived: Perceived
  let detections: DetectionsFile
  let scene: PlacedScene
  let times: PerceptionTimes

  /// Perceives a frame, and places effects on its objects.
  ///
  /// - `following`: selects the tracked objects and gives them ids; nil keeps all.
  init(
    _ frame: CapturedFrame, _ perceiver: Perceiver, requests: [EffectRequest],
    following: (([Detection]) -> [Detection])? = nil
  ) async throws {
    var times = PerceptionTimes()
    let perceived = try await perceiver.perceive(frame, timings: { times.add($0) }, following: following)
    self.init(perceived, of: frame, perceiver, requests: requests, times: times)
  }

  /// Places effects on the objects of a frame that was perceived in so many `times`.
  init(
    _ perceived: Perceived, of frame: CapturedFrame, _ perceiver: Perceiver, requests: [EffectRequest],
    times: PerceptionTimes
  ) {
    var times = times
    let clock = ContinuousClock()
    let began = clock.now
    scene = PlacedScene(perceived.extents, of: perceived.detections, requests: requests)
    times.placement += clock.now - began
    self.times = times
    self.perceived = perceived
    self.frame = frame
    detections = DetectionsFile(
      image: frame.name, imageSize: frame.imageSize, model: perceiver.detector.description,
      detections: perceived.detections)
  }

  /// Notes on the origin of figures, and requests for effects that failed.
  var notes: [String] { perceived.notes + scene.refused }

  /// The content of `summary.json`: no times, so that the same input gives the same bytes.
  ///
  /// `digest`: of all that the results depend on.
  func summary(networks: JSONValue, digest: String) -> JSONValue {
    [
      "schema": "ardf.summary/1", "digest": .string(digest), "image": .string(frame.name),
      "imageSize": [.integer(frame.imageSize.width), .integer(frame.imageSize.height)],
      "orientation": .string("\(frame.orientation)"), "timestamp": .number(frame.timestamp),
      "networks": networks, "fusion": perceived.depth.fusion?.json ?? .null,
      "objects": .array(perceived.documents),
      "effects": .array(
        scene.effects.map {
          ["type": .string($0.type.rawValue), "objectId": $0.objectId.map(JSONValue.integer) ?? .null]
        }),
      "notes": .array(notes.map(JSONValue.string)),
    ]
  }
}

/// The times of the steps for a frame.
struct PerceptionTimes: Sendable {
  private(set) var detector = StageTimings(preprocess: .zero, inference: .zero, postprocess: .zero)
  private(set) var depth: (input: PixelSize, stages: StageTimings)?
  private(set) var fusion: Duration?
  /// Measuring objects and placing effects.
  var placement = Duration.zero

  mutating func add(_ timing: PerceptionTiming) {
    switch timing {
    case .upright: break
    case .detection(let stages, _, _): detector = stages
    case .depth(let stages, let input, _): depth = (input, stages)
    case .fusion(let time): fusion = time
    case .measuring(let time): placement += time
    }
  }
}

extension Perceived {
  /// Each object's members of detections.json without the mask, and those of objects.json.
  var documents: [JSONValue] {
    let found = Dictionary(detections.map { ($0.id, DetectionsFile.fields($0)) }) { first, _ in first }
    return extents.map { extent in
      let known = (extent.json.object ?? [:]).map { ($0.key, $0.value) }
      return .object((found[extent.id] ?? [:]).merging(known) { $1 })
    }
  }
}

extension Perceiver {
  /// The networks that ran on a frame, for `summary.json`.
  func description(on frame: CapturedFrame) -> JSONValue {
    let depth = runsDepth(on: frame) ? depth : nil
    return ["detector": detector.description, "depth": depth.map { ["name": .string($0.name)] } ?? .null]
  }
}

extension ObjectDetector {
  /// The network, for `detections.json`.
  var description: JSONValue {
    var description: [String: JSONValue] = [
      "name": .string(network.name), "classes": .integer(network.classNames.count),
      "input": .string(network.inputText),
      "sourceSHA256": network.weights.checkpointDigest.map(JSONValue.string) ?? .null,
      "confidence": .rounded(Double(rules.thresholds.confidence), decimals: 6),
      "iou": .rounded(Double(rules.thresholds.overlap), decimals: 6),
      "maxDetections": .integer(rules.thresholds.limit),
    ]
    if network.form == .masks {
      description["masks"] = .string(rules.masks.rawValue)
    } else {
      description["finds"] = .string(network.form.finds)
    }
    if !network.suppressesOverlaps { description["iou"] = nil }
    if let tiling = rules.tiling {
      description["tiles"] = ["side": .integer(tiling.side), "overlap": .number(tiling.overlap)]
    }
    if let classes = rules.classes {
      description["only"] = .array(classes.sorted().map(JSONValue.integer))
    }
    return .object(description)
  }
}

extension FusionReport {
  /// One line for people.
  var line: String {
    guard let alignment else { return "no fit: \(status.rawValue) (\(counted(pairs, "pair")))" }
    let fit =
      "\(counted(pairs, "pair")), \(decimal(100 * alignment.inlierRatio, 1))% inliers, median residual "
      + "\(decimal(100 * alignment.medianRelativeResidual, 2))%, RMSE \(decimal(alignment.rmseMeters, 3)) m"
    guard let method, let quality else { return fit }
    let errors = method == .guided ? quality.guided : quality.fit
    return fit
      + "; \(method.rawValue) depth errs \(decimal(1000 * errors.median, 1)) mm on hidden readings (median)"
  }
}
