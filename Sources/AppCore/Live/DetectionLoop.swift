import FileFormats
import Imaging

/// Why a frame cannot be processed.
package enum DetectionLoopError: Error, Equatable, CustomStringConvertible {
  /// The frame came without its picture.
  case noPicture(frame: String)

  /// The reason and what to do.
  package var description: String {
    switch self {
    case .noPicture(let frame): "frame \(frame) has no picture: let the frame source decode pictures"
    }
  }
}

/// Detects objects in some of the frames it is offered, and tracks them.
package actor DetectionLoop {
  /// The fate of an offered frame.
  package enum DetectionOutcome: Sendable, Equatable {
    /// A detection runs, or the latest is too recent.
    case skipped
    /// Heat or memory forbids detections.
    case refused
    /// The objects followed now.
    case updated([TrackedObject])
    /// The detector failed, retries included.
    case failed
    /// The breaker is open after failures: the detector was not asked.
    case broken
    /// The caller gave up.
    case cancelled
  }

  private let time: any TimeSource
  private let filter: DetectionFilter
  private let work: Orchestrator<CapturedFrame, [Detection]>
  private let observer: (any DetectionObserver)?
  private let log: any LogSink
  private var throttle = DetectionThrottle()
  private var followed: FollowedObjects

  /// A loop around protected detection work.
  package init(
    work: Orchestrator<CapturedFrame, [Detection]>, time: any TimeSource,
    filter: DetectionFilter = DetectionFilter(), objects: FollowedObjects = FollowedObjects(),
    observer: (any DetectionObserver)? = nil, log: any LogSink = SilentLog()
  ) {
    self.observer = observer
    self.work = work
    self.time = time
    self.filter = filter
    self.log = log
    followed = objects
  }

  /// The objects followed now.
  package var objects: [TrackedObject] { followed.objects }

  /// Whether a detection runs.
  package var isProcessing: Bool { throttle.isProcessing }

  /// Whether the breaker lets detections through.
  package var breakerPhase: CircuitBreaker.Phase { get async { await work.breakerPhase } }

  /// Sets the least time between two starts, from the next one on.
  package func setInterval(_ interval: Duration) { throttle.interval = interval }

  /// Forgets objects as the memory manager asks.
  package func perform(_ action: MemoryAction) {
    switch action {
    case .dropObjects(let age): followed.drop(olderThan: age, at: time.now)
    case .dropAllButCurrentObjects: followed.dropAllButCurrent()
    case .clearInactiveOverlays, .keepOnlyActiveOverlay: break
    }
  }

  /// Detects in the frame if it is time to.
  package func process(_ frame: CapturedFrame) async -> DetectionOutcome {
    followed.expire(at: time.now)
    guard throttle.begin(at: time.now) else { return .skipped }
    defer { throttle.finish() }
    switch await work.run(frame) {
    case .refused: return .refused
    case .cancelled: return .cancelled
    case .done(let detections), .failed(_, recovered: .some(let detections)):
      let sure = followed.update(filter.apply(detections), at: time.now, in: frame.image)
      let objects = followed.objects
      await observer?.detected(sure, objects: objects, in: frame)
      return .updated(objects)
    case .failed(is CircuitOpenError, recovered: nil):
      return .broken
    case .failed(let error, recovered: nil):
      log.error("detection in frame \(frame.name) failed", error)
      return .failed
    }
  }
}

extension Detector {
  /// The objects of a frame, found in its upright picture and mapped back to the stored one.
  ///
  /// - Throws: `DetectionLoopError.noPicture`, or what the detector throws.
  public func detect(in frame: CapturedFrame) async throws -> [Detection] {
    guard let image = frame.image else { throw DetectionLoopError.noPicture(frame: frame.name) }
    return try await detect(in: image.oriented(frame.orientation)).map {
      $0.turnedBack(from: frame.orientation, stored: frame.imageSize)
    }
  }
}

extension DetectionLoopError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
