import AppCore
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime

/// The whole flow on one frame: find objects, estimate depth, fit it to the sensor's, measure.
///
/// A value; copies share the networks, which plan and pack for the first picture of a size. The same frame gives the same
/// bytes for any number of threads, overlapped or not.
public struct Perceiver: Sendable {
  /// The detector, and which of its objects are wanted.
  public var detector: ObjectDetector
  /// The depth network; nil uses the sensor's depth alone.
  public let depth: (any DepthNetwork)?
  /// How relative depth is fitted to the sensor's; the sensor is that of each frame.
  public var fusion: FusionOptions
  /// Whether relative depth is estimated of frames without a sensor's depth too: nothing is measured with it there, and
  /// `Perceived.relative` alone has it.
  public var estimatesUnscaledDepth = true
  /// Whether `perceive` lets one network prepare its input and read its output while the other runs: of use where a frame
  /// has more than one thread.
  public var isOverlapped: Bool
  /// The number of threads that turn a frame's picture, fuse its depth and measure its objects.
  ///
  /// The result does not depend on it.
  public var measuringThreads = 1

  /// A perceiver of networks of any family.
  ///
  /// - `depth`: nil uses the sensor's depth alone.
  public init(
    detector: ObjectDetector, depth: (any DepthNetwork)? = nil, fusion: FusionOptions = FusionOptions(),
    isOverlapped: Bool = true
  ) {
    self.detector = detector
    self.depth = depth
    self.fusion = fusion
    self.isOverlapped = isOverlapped
  }

  /// The same networks run by another pool, side by side with these.
  public func running(on pool: ThreadPool) -> Perceiver {
    var perceiver = Perceiver(
      detector: detector.running(on: pool), depth: depth?.running(on: pool), fusion: fusion,
      isOverlapped: pool.threads > 1)
    perceiver.estimatesUnscaledDepth = estimatesUnscaledDepth
    perceiver.measuringThreads = pool.threads
    return perceiver
  }

  /// Estimates a frame's depth, if anything is made of it.
  private func depth(for frame: CapturedFrame) -> (any DepthNetwork)? {
    depth.flatMap { estimatesUnscaledDepth || $0.output != .relative || frame.depth != nil ? $0 : nil }
  }

  /// Whether the depth network runs on a frame.
  package func runsDepth(on frame: CapturedFrame) -> Bool { depth(for: frame) != nil }

  /// The depth network as the live loop asks it; nil without one.
  public var depthEstimator: (any DepthEstimator)? { depth.map(PictureDepth.init) }

  private typealias Detected = (objects: FoundObjects, whole: Duration)
  private typealias Estimated = (estimation: Result<FrameEstimate, NoEstimate>, whole: Duration)

  /// Perceives a frame.
  ///
  /// - Parameters:
  ///   - frame: A frame with its picture. Without depth or camera less can be measured: `Perceived.notes` lists what.
  ///   - timings: Called with each step's time when both networks are done.
  ///   - following: Which of the detections are measured, with their identities from picture to picture; nil for all.
  /// - Returns: What was found and measured, in the stored picture's frame.
  /// - Throws: `PerceptionError.noPicture`, `.network`. A picture whose depth cannot be estimated throws
  ///   nothing: `Perceived.noEstimate` says why.
  public func perceive(
    _ frame: CapturedFrame, timings: (PerceptionTiming) -> Void = { _ in },
    following: (([Detection]) -> [Detection])? = nil
  ) async throws(PerceptionError) -> Perceived {
    guard isOverlapped, let depth = depth(for: frame) else {
      return try perceiveInTurn(frame, timings: timings, following: following)
    }
    let upright = try inTeam { () throws(PerceptionError) -> RGBImage in try self.upright(frame, timings) }
    // Both networks share one team of threads, which runs one whole network after the other.
    async let found = Result { () throws(PerceptionError) in try detect(frame, upright) }
    async let estimated = Result { () throws(PerceptionError) in try estimate(frame, upright, depth) }
    let (objects, estimation) = await (found, estimated)
    return try inTeam { () throws(PerceptionError) -> Perceived in
      perceived(frame, try objects.get(), try estimation.get(), following, timings)
    }
  }

  /// As `perceive`, on the calling thread and its team.
  public func perceiveInTurn(
    _ frame: CapturedFrame, timings: (PerceptionTiming) -> Void = { _ in },
    following: (([Detection]) -> [Detection])? = nil
  ) throws(PerceptionError) -> Perceived {
    try inTeam { () throws(PerceptionError) -> Perceived in
      let upright = try self.upright(frame, timings)
      let objects = try detect(frame, upright)
      var estimated: Estimated?
      if let depth = depth(for: frame) { estimated = try estimate(frame, upright, depth) }
      return perceived(frame, objects, estimated, following, timings)
    }
  }

  /// The value of `body`, whose work outside of the networks is shared by as many threads as measure.
  private func inTeam<Value>(_ body: () throws(PerceptionError) -> Value) throws(PerceptionError) -> Value {
    try Parallel.team(of: measuringThreads) { Result(catching: body) }.get()
  }

  private func upright(
    _ frame: CapturedFrame, _ timings: (PerceptionTiming) -> Void
  ) throws(PerceptionError) -> RGBImage {
    let (image, time) = try timed { () throws(PerceptionError) in try PerceptionError.upright(frame) }
    timings(.upright(time))
    return image
  }

  private func detect(_ frame: CapturedFrame, _ upright: RGBImage) throws(PerceptionError) -> Detected {
    try timed { () throws(PerceptionError) in
      try detector.objects(in: upright, orientation: frame.orientation, stored: frame.imageSize)
    }
  }

  private func estimate(
    _ frame: CapturedFrame, _ upright: RGBImage, _ depth: any DepthNetwork
  ) throws(PerceptionError) -> Estimated {
    try timed { () throws(PerceptionError) in
      try depth.estimate(upright, orientation: frame.orientation, sensor: frame.depth)
    }
  }

  private func perceived(
    _ frame: CapturedFrame, _ found: Detected, _ estimated: Estimated?,
    _ following: (([Detection]) -> [Detection])?, _ timings: (PerceptionTiming) -> Void
  ) -> Perceived {
    timings(.detection(found.objects.timings, selection: found.objects.selection, whole: found.whole))
    let estimate = try? estimated?.estimation.get()
    if let estimated, let estimate {
      timings(.depth(estimate.timings, input: estimate.input, whole: estimated.whole))
    }
    let detections = following?(found.objects.detections) ?? found.objects.detections
    let (known, fusing) = timed {
      FrameDepth(estimate?.depth, frame: frame, options: fusion, threads: measuringThreads)
    }
    if known.fusion != nil { timings(.fusion(fusing)) }
    let (extents, measuring) = timed {
      known.extents(of: detections, in: frame, threads: measuringThreads)
    }
    timings(.measuring(measuring))
    var noEstimate: NoEstimate?
    if case .failure(let reason) = estimated?.estimation { noEstimate = reason }
    return Perceived(
      detections: detections, surest: found.objects.surest, extents: extents,
      relative: estimate?.depth.relative, noEstimate: noEstimate,
      depth: known,
      notes: Perceived.notes(
        frame, estimated?.estimation, hasNetwork: depth != nil, known,
        objects: detections.count, surest: found.objects.surest))
  }
}

/// The result of `body` and its duration.
private func timed<Value, Failure: Error>(
  _ body: () throws(Failure) -> Value
) throws(Failure) -> (Value, Duration) {
  let clock = ContinuousClock()
  let began = clock.now
  let value = try body()
  return (value, clock.now - began)
}
