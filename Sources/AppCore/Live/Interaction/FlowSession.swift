import FileFormats
import Geometry
import Imaging

/// The state of the app at one moment.
public struct FlowSnapshot: Sendable {
  /// The step.
  public internal(set) var flow: DetectionFlow
  /// The snapshot's results; nil but in the results and the picker.
  public internal(set) var results: FlowResults?
  /// Effects chosen and not yet placed.
  public internal(set) var queue: [EffectQueue.Entry] = []
  /// Effects in the world.
  public internal(set) var effects: [StagedEffect] = []
  /// Why effects of the last Back were not placed.
  public internal(set) var refused: [PlacementError] = []
  /// One line for the user: what was found, and how fast.
  public internal(set) var status = ""
}

/// The results of detection on one snapshot.
public struct FlowResults: Sendable {
  /// The frame that was processed.
  public let frame: CapturedFrame
  /// The detected objects.
  public let detections: [Detection]
  /// How large and how far it is.
  public let extents: [ObjectExtent]
  /// How relative depth was aligned; nil without a depth network or sensor.
  public let fusion: FusionReport?
  /// How long it took.
  public let duration: Duration
}

/// Runs the app's flow: loads, detects on snapshots, hands out results, queues and places effects.
///
/// State is published as snapshots; nothing is polled. A detection asked for while one runs cancels it, and an old
/// detection's result never appears.
public actor FlowSession {
  /// Loads one of the parts; the session calls all of them side by side.
  public typealias Loader = @Sendable () async throws -> Void

  private let detector: any Detector
  private let depth: (any DepthEstimator)?
  private let stage: EffectStage
  private let time: any TimeSource
  private let loaders: [Preload: Loader]
  private let catalogue: [EffectType]
  private let state: SnapshotStream<FlowSnapshot>
  private var queue = EffectQueue()
  private var detection: Task<Void, Never>?
  private var detectionNumber = 0

  /// A session that has loaded nothing yet.
  ///
  /// - `depth`: nil uses the sensor's depth alone.
  /// - `effects`: What the picker offers.
  /// - `loaders`: What to wait for; `load` calls them.
  public init(
    detector: any Detector, depth: (any DepthEstimator)? = nil, stage: EffectStage, time: any TimeSource,
    effects: [EffectType] = EffectCatalogue.films.effects, loaders: [Preload: Loader] = [:]
  ) {
    self.detector = detector
    self.depth = depth
    self.stage = stage
    self.time = time
    self.loaders = loaders
    catalogue = effects
    state = SnapshotStream(FlowSnapshot(flow: DetectionFlow(requiring: Set(loaders.keys))))
  }

  /// The state and every change.
  public nonisolated func snapshots() -> AsyncStream<FlowSnapshot> { state.snapshots() }
  /// The state now.
  public nonisolated var current: FlowSnapshot { state.current }

  private func take(_ event: DetectionFlow.Event) throws(FlowError) {
    var flow = state.current.flow
    try flow.take(event)
    state.update { $0.flow = flow }
  }

  // MARK: Loading

  /// Loads everything that is not ready, side by side; a part that fails leaves detection disabled.
  public func load() async {
    try? take(.retryLoading)
    let open = loaders.filter { !state.current.flow.ready.contains($0.key) }
    await withTaskGroup(of: (Preload, String?).self) { group in
      for (part, loader) in open {
        group.addTask {
          do {
            try await loader()
            return (part, nil)
          } catch {
            return (part, "\(error)")
          }
        }
      }
      for await (part, failure) in group {
        try? take(failure.map { .loadFailed(part, reason: $0) } ?? .loaded(part))
      }
    }
  }

  // MARK: Detecting

  /// Starts a detection on a frame, in place of one that runs; returns when it has ended.
  ///
  /// - Throws: `FlowError.illegal` where no detection may be asked for.
  public func detect(_ frame: CapturedFrame) async throws(FlowError) {
    try take(.detect)
    detection?.cancel()
    detectionNumber += 1
    let number = detectionNumber
    let previous = detection
    let task = Task {
      // Networks are asked one question at a time.
      await previous?.value
      await self.look(at: frame, number: number)
    }
    detection = task
    await task.value
  }

  /// Gives up the detection that runs.
  ///
  /// - Throws: `FlowError.illegal` if none does.
  public func cancelDetection() throws(FlowError) {
    try take(.cancelDetection)
    detection?.cancel()
    detectionNumber += 1
  }

  private func look(at frame: CapturedFrame, number: Int) async {
    let start = time.now
    let outcome: Result<FlowResults, any Error>
    do {
      let (detections, estimate) = try await infer(frame)
      let known = FrameDepth(estimate, frame: frame)
      let extents = known.extents(of: detections, in: frame)
      outcome = .success(
        FlowResults(
          frame: frame, detections: detections, extents: extents, fusion: known.fusion,
          duration: time.now - start))
    } catch {
      outcome = .failure(error)
    }
    // A later detection, or giving up, has made this one void.
    guard number == detectionNumber else { return }
    switch outcome {
    case .success(let results): show(results)
    case .failure(let error):
      try? take(error is CancellationError ? .cancelDetection : .detectionFailed(reason: "\(error)"))
      state.update { $0.status = "detection failed: \(error)" }
    }
  }

  /// Both networks side by side; the result does not depend on which is first.
  private func infer(_ frame: CapturedFrame) async throws -> ([Detection], EstimatedDepth?) {
    guard let image = frame.image else { throw DetectionLoopError.noPicture(frame: frame.name) }
    async let found = detector.detect(in: image.oriented(frame.orientation))
    async let estimated = depth?.depth(of: frame)
    let (objects, estimate) = try await (found, estimated)
    try Task.checkCancellation()
    return (objects.map { $0.turnedBack(from: frame.orientation, stored: frame.imageSize) }, estimate)
  }

  private func show(_ results: FlowResults) {
    let count = results.detections.count
    try? take(.detected(objects: count))
    let milliseconds = Int(clamping: (results.duration.inSeconds * 1000).rounded())
    state.update {
      $0.results = count > 0 ? results : nil
      $0.status = "\(counted(count, "object")) detected (\(milliseconds)ms)"
    }
  }

  // MARK: Picking

  /// The effects that can be chosen.
  public nonisolated var effects: [EffectType] { catalogue }

  /// Opens the picker for the object at a point of a view that shows the upright snapshot.
  ///
  /// - Returns: The object; nil if the tap hit none.
  /// - Throws: `FlowError.illegal` but in the results.
  public func tap(
    _ point: Point2<ViewPoints>, view: ViewMapping<UprightPixels, ViewPoints>
  ) throws(FlowError) -> Int? {
    guard let results = state.current.results else {
      throw .illegal(event: .tap(objectId: 0), phase: state.current.flow.phase)
    }
    let hit = HitTest.detection(
      at: point, view: view, orientation: results.frame.orientation, imageSize: results.frame.imageSize,
      among: results.detections)
    guard let hit else { return nil }
    try tap(objectId: hit.id)
    return hit.id
  }

  /// Opens the picker for an object.
  ///
  /// - Throws: `FlowError`.
  public func tap(objectId: Int) throws(FlowError) {
    if state.current.flow.phase == .results, object(objectId) == nil { throw .noSuchObject(objectId) }
    try take(.tap(objectId: objectId))
  }

  /// Queues an effect for the object of the picker, and gets a player ready for it.
  ///
  /// - Throws: `FlowError`; the picker stays open where the object cannot take the effect.
  public func choose(_ type: EffectType) async throws(FlowError) {
    guard case .picking(let id) = state.current.flow.phase, let object = object(id) else {
      throw .illegal(event: .choose(type), phase: state.current.flow.phase)
    }
    guard catalogue.contains(type) else { throw .placement(.unavailable(type)) }
    do throws(PlacementError) {
      try queue.enqueue(type, on: object)
    } catch {
      throw .placement(error)
    }
    try take(.choose(type))
    state.update { $0.queue = queue.entries }
    await stage.prepare(type)
  }

  /// Closes the picker.
  ///
  /// - Throws: `FlowError.illegal`.
  public func dismissPicker() throws(FlowError) { try take(.dismissPicker) }

  /// Takes back a queued effect; nothing beyond the queue's end.
  public func unqueue(at index: Int) {
    guard queue.entries.indices.contains(index) else { return }
    queue.remove(at: index)
    state.update { $0.queue = queue.entries }
  }

  private func object(_ id: Int) -> ObjectExtent? { state.current.results?.extents.first { $0.id == id } }

  // MARK: Placing

  /// Leaves the results: places the queue, lets the snapshot go, returns to the live view.
  ///
  /// - Throws: `FlowError.illegal` but in the results.
  public func back() async throws(FlowError) {
    try take(.back)
    let entries = queue.entries
    queue.removeAll()
    state.update {
      $0.results = nil
      $0.queue = []
    }
    let refused = await stage.place(entries)
    let effects = stage.effects
    state.update {
      $0.refused = refused
      $0.effects = effects
    }
  }

  /// Removes one placed effect; false if it is not there.
  @discardableResult
  public func removeEffect(_ id: Int) async -> Bool {
    let isRemoved = await stage.remove(id)
    let effects = stage.effects
    state.update { $0.effects = effects }
    return isRemoved
  }

  /// Removes all placed effects.
  public func clearEffects() async {
    await stage.clear()
    let effects = stage.effects
    state.update { $0.effects = effects }
  }
}
