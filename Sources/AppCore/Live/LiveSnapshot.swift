/// The live session's state at one moment.
public struct LiveSnapshot: Sendable, Equatable {
  /// Frames that the source has given.
  public var framesSeen = 0
  /// Frames left out to keep to the frame rate.
  public var framesPaced = 0
  /// Frames lost because too many were in flight.
  public var framesDropped = 0
  /// Frames shown.
  public var framesShown = 0
  /// Frames that could not be shown.
  public var framesFailed = 0
  /// Whether many frames have been lost for long.
  public var isDropAlarming = false
  /// Frames shown per second over the last second.
  public var framesPerSecond = 0.0
  /// Frames per second that are let through.
  public var frameRateLimit = ThermalFrameRate.full
  /// Bytes that the loop holds: frames, objects, effects; neither networks nor mapped weights.
  public var heldBytes = 0
  /// How close to its budget memory is.
  public var pressure = MemoryPressure.normal
  /// How often to detect, and whether.
  public var performance = AdaptivePerformance().state
  /// Detections that gave a result.
  public var detections = 0
  /// Detections that failed.
  public var detectionFailures = 0
  /// Detections that heat or memory forbade.
  public var detectionsRefused = 0
  /// Detections that the breaker did not let through after failures; they count as failed too.
  public var detectionsBroken = 0
  /// Whether the breaker lets detections through.
  public var breaker = CircuitBreaker.Phase.closed
  /// The objects followed.
  public var objects: [TrackedObject] = []

  /// The state before the first frame.
  public init() {}
}
