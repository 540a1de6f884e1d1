import AppCore
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime

/// A frame that holds depth and a pose, but nothing to see.
struct FrameWithoutPicture: Error, CustomStringConvertible {
  let frame: String

  var description: String { "\(frame): the frame has no picture" }
}

/// The full flow on one frame: detect, estimate depth, fuse, measure, place.
struct FrameFlow: Sendable {
  let detector: DetectionNetwork
  /// nil goes on with the sensor's depth alone.
  let depth: DepthNetwork?
  let fusion: FusionOptions
  /// Whether one network prepares its input and reads its output while the other runs, and files are written side
  /// by side: of use where one frame has more than one thread.
  let isOverlapped: Bool

  /// The same flow run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> FrameFlow {
    FrameFlow(
      detector: detector.running(on: pool), depth: depth?.running(on: pool), fusion: fusion,
      isOverlapped: pool.threads > 1)
  }

  /// What `summary.json` says about the networks.
  var description: JSONValue {
    ["detector": detector.description, "depth": depth.map { ["name": .string($0.name)] } ?? .null]
  }

  /// What the flow made of a frame.
  struct Outcome: Sendable {
    let frame: CapturedFrame
    let detections: DetectionsFile
    let relative: RelativeDepth?
    /// Why there is none although there is a network.
    let noRelative: NoEstimate?
    let fusion: FusionReport?
    let metric: MetricDepth?
    /// Whether the meters are a metric network's, from the picture alone.
    let isFromPictureAlone: Bool
    let scene: PlacedScene
    let detectorTimings: StageTimings
    let depthTimings: (input: PixelSize, stages: StageTimings)?
    let fusionTime: Duration?
    let placementTime: Duration
  }

  /// Objects with their times, and depth or why there is none.
  private typealias Found = (
    objects: (detections: [Detection], timings: StageTimings, selection: Duration),
    estimation: Result<DepthNetwork.Estimate, NoEstimate>?
  )

  /// Runs the flow.
  func run(_ frame: CapturedFrame, requests: [EffectRequest]) async throws -> Outcome {
    guard isOverlapped, let depth else { return try runInTurn(frame, requests: requests) }
    let upright = try upright(frame)
    // Both networks share one team of threads, which runs one whole network after the other.
    async let found = detector.detect(upright, orientation: frame.orientation, stored: frame.imageSize)
    async let estimated = depth.estimateIfPossible(
      upright, orientation: frame.orientation, sensor: frame.depth)
    return outcome(of: frame, try await (found, estimated), requests: requests)
  }

  /// Runs the flow on the calling thread and its team.
  func runInTurn(_ frame: CapturedFrame, requests: [EffectRequest]) throws -> Outcome {
    let upright = try upright(frame)
    let objects = try detector.detect(upright, orientation: frame.orientation, stored: frame.imageSize)
    let estimation = try depth?.estimateIfPossible(
      upright, orientation: frame.orientation, sensor: frame.depth)
    return outcome(of: frame, (objects, estimation), requests: requests)
  }

  private func upright(_ frame: CapturedFrame) throws(FrameWithoutPicture) -> RGBImage {
    guard let image = frame.image else { throw FrameWithoutPicture(frame: frame.name) }
    return image.oriented(frame.orientation)
  }

  private func outcome(of frame: CapturedFrame, _ found: Found, requests: [EffectRequest]) -> Outcome {
    let (objects, estimation) = found
    let estimate = try? estimation?.get()
    let noRelative: NoEstimate? = if case .failure(let error) = estimation { error } else { nil }

    let clock = ContinuousClock()
    let began = clock.now
    let known = FrameDepth(estimate?.depth, frame: frame, options: fusion)
    let fusionTime = known.fusion.map { _ in clock.now - began }

    let start = clock.now
    let scene = PlacedScene(
      frame: frame, detections: objects.detections, metric: known.metric, estimated: known.estimated,
      requests: requests)
    return Outcome(
      frame: frame,
      detections: DetectionsFile(
        image: frame.name, imageSize: frame.imageSize, model: detector.description,
        detections: objects.detections),
      relative: estimate?.depth.relative, noRelative: noRelative, fusion: known.fusion,
      metric: known.metric ?? known.estimated, isFromPictureAlone: known.estimated != nil, scene: scene,
      detectorTimings: objects.timings, depthTimings: estimate.map { ($0.input, $0.timings) },
      fusionTime: fusionTime, placementTime: clock.now - start)
  }
}

extension FusionReport {
  /// One line for people.
  var line: String {
    guard let alignment else { return "no fit: \(status.rawValue) (\(pairs) pairs)" }
    let fit =
      "\(pairs) pairs, \(decimal(100 * alignment.inlierRatio, 1))% inliers, median residual "
      + "\(decimal(100 * alignment.medianRelativeResidual, 2))%, RMSE \(decimal(alignment.rmseMeters, 3)) m"
    guard let method, let quality else { return fit }
    let errors = method == .guided ? quality.guided : quality.fit
    return fit
      + "; \(method.rawValue) depth errs \(decimal(1000 * errors.median, 1)) mm on hidden readings (median)"
  }
}

extension FrameFlow.Outcome {
  /// What a reader must know about where figures come from.
  var notes: [String] {
    var notes: [String] = []
    let lacksPrompt = if case .noPrompt = noRelative { true } else { false }
    if let noRelative {
      notes.append(lacksPrompt ? "\(noRelative)" : "\(noRelative): distances come from the LiDAR alone")
    } else if relative == nil {
      notes.append("no depth weights: distances come from the LiDAR alone")
    }
    if isFromPictureAlone {
      notes.append("distances are the depth network's, from the picture alone")
    } else if frame.depth == nil, !lacksPrompt {
      notes.append("no LiDAR depth: there is nothing to scale relative depth with")
    }
    if frame.depth != nil, frame.confidence == nil {
      notes.append("no confidence: every LiDAR reading counts as sure")
    }
    if let note = frame.rangeNote { notes.append(note) }
    if !frame.isPosed, let doubt = frame.depthDoubt { notes.append(doubt) }
    if frame.intrinsics == nil {
      notes.append(
        isFromPictureAlone
          ? "no camera in EXIF: sizes need --fov or --intrinsics"
          : "no camera: nothing can be measured or placed")
    }
    if frame.intrinsics != nil, !frame.isPosed {
      notes.append("no pose: positions are in the camera's own frame, as if it stood level at the origin")
    }
    if let fusion, fusion.status != .ok, metric == nil {
      notes.append("no fusion (\(fusion.status.rawValue)): distances come from the LiDAR alone")
    }
    if detections.detections.isEmpty { notes.append("no objects found") }
    return notes + scene.refused
  }

  /// Of each object what detections.json says besides its mask, and what objects.json does.
  var objects: [JSONValue] {
    let found = Dictionary(detections.detections.map { ($0.id, DetectionsFile.fields($0)) }) { first, _ in
      first
    }
    return scene.extents.map { extent in
      let known = (extent.json.object ?? [:]).map { ($0.key, $0.value) }
      return .object((found[extent.id] ?? [:]).merging(known) { $1 })
    }
  }

  /// The content of `summary.json`: no times, so that the same input gives the same bytes.
  ///
  /// `digest`: of all that the results depend on.
  func summary(networks: JSONValue, digest: String) -> JSONValue {
    [
      "schema": "ardf.summary/1", "digest": .string(digest), "image": .string(frame.name),
      "imageSize": [.integer(frame.imageSize.width), .integer(frame.imageSize.height)],
      "orientation": .string("\(frame.orientation)"), "timestamp": .number(frame.timestamp),
      "networks": networks, "fusion": fusion?.json ?? .null,
      "objects": .array(objects),
      "effects": .array(
        scene.effects.map {
          ["type": .string($0.type.rawValue), "objectId": $0.objectId.map(JSONValue.integer) ?? .null]
        }),
      "notes": .array(notes.map(JSONValue.string)),
    ]
  }
}
