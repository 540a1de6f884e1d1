/// How long the stages of one inference took.
public struct StageTimings: Sendable, Equatable {
  /// From the picture to the network's input.
  public let preprocess: Duration
  /// The network itself.
  public let inference: Duration
  /// From the network's outputs to the result.
  public let postprocess: Duration

  /// Timings from their parts.
  public init(preprocess: Duration, inference: Duration, postprocess: Duration) {
    self.preprocess = preprocess
    self.inference = inference
    self.postprocess = postprocess
  }

  /// Timings from the moments at which the stages began and the last one ended.
  init(
    began: ContinuousClock.Instant, prepared: ContinuousClock.Instant, inferred: ContinuousClock.Instant,
    ended: ContinuousClock.Instant
  ) {
    preprocess = prepared - began
    inference = inferred - prepared
    postprocess = ended - inferred
  }
}
