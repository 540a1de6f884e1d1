/// Kind of a depth network's output, by the last activation of its head.
public enum DepthOutput: Sendable, Hashable {
  /// max(x, 0): relative inverse depth, without unit, larger is nearer.
  case relative
  /// sigmoid(x) times the greatest depth in meters: planar depth in meters.
  case metric(greatest: Float)
  /// sigmoid(x): planar depth between the least (0) and the greatest (1) of the prompt's.
  case prompted

  /// Whether there are meters in the end.
  public var isMetric: Bool { self != .relative }
}
