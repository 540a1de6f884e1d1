/// Keeps the few detections that are sure enough.
public struct DetectionFilter: Sendable, Equatable {
  /// Only greater confidences pass.
  public var threshold: Float
  /// At most this many pass.
  public var limit: Int

  /// The default filter: more than 0.75, at most five.
  public init(threshold: Float = 0.75, limit: Int = 5) {
    self.threshold = threshold
    self.limit = limit
  }

  /// The detections above the threshold, surest first (the earlier id among equals), cut to the limit.
  public func apply(_ detections: [Detection]) -> [Detection] {
    let sure = detections.filter { $0.confidence > threshold }
    return Array(sure.sorted { ($1.confidence, $0.id) < ($0.confidence, $1.id) }.prefix(max(limit, 0)))
  }
}
