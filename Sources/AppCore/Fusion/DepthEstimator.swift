import Geometry
import Imaging

/// Depth that a network estimates for one picture.
public struct EstimatedDepth: Sendable {
  /// Relative inverse depth; of a network that gives meters one over them.
  public let relative: RelativeDepth
  /// The meters of a network that gives them.
  public let metric: MetricDepth?
  /// Whether the meters follow the sensor's depth that the network was given, and so stand in for a fit to it.
  public let isPrompted: Bool

  /// A network's answer.
  public init(relative: RelativeDepth, metric: MetricDepth? = nil, isPrompted: Bool = false) {
    self.relative = relative
    self.metric = metric
    self.isPrompted = isPrompted
  }

  /// The depth found on an upright picture, turned back to the picture as stored.
  public func turnedBack(from orientation: Orientation) -> EstimatedDepth {
    guard orientation != .up else { return self }
    let turn = orientation.inverse
    return EstimatedDepth(
      relative: RelativeDepth(relative.values.oriented(turn)),
      metric: metric.map { MetricDepth(values: $0.values.oriented(turn), states: $0.states.oriented(turn)) },
      isPrompted: isPrompted)
  }
}

/// A network that estimates depth from one picture.
public protocol DepthEstimator: Sendable {
  /// Whether it finds meters where there is no sensor.
  ///
  /// Of one that does not nothing is asked without a sensor, since there is nothing to scale its depth with.
  var needsNoSensor: Bool { get }

  /// The depth of an upright picture, covering its whole field at any resolution.
  ///
  /// - `sensor`: A sensor's planar depth of the same field in meters, upright as well, 0 or NaN where there is none; a
  ///   prompted network reads it.
  func depth(of picture: RGBImage, sensor: Plane<Float>?) async throws -> EstimatedDepth
}

extension DepthEstimator {
  /// By default a sensor is needed to scale the network's depth.
  public var needsNoSensor: Bool { false }

  /// A captured frame's depth, in the orientation of the stored picture and at the network's resolution; nil without a
  /// picture, or without sensor depth where it is needed.
  ///
  /// - Throws: what the network throws.
  public func depth(of frame: CapturedFrame) async throws -> EstimatedDepth? {
    guard let image = frame.image, frame.depth != nil || needsNoSensor else { return nil }
    let sensor = frame.depth?.oriented(frame.orientation)
    return try await depth(of: image.oriented(frame.orientation), sensor: sensor)
      .turnedBack(from: frame.orientation)
  }
}

/// The best that a depth network and a sensor know of a frame together.
public struct FrameDepth: Sendable {
  /// The alignment of the network's depth with the sensor's; nil without either.
  public let fusion: FusionReport?
  /// Metric depth that rests on the sensor: a prompted network's, else the fused one.
  public let metric: MetricDepth?
  /// Where there is none such, what a metric network gives in meters from the picture alone.
  public let estimated: MetricDepth?

  /// The depth of a frame of which a network found `estimate`.
  ///
  /// It is the same for any number of threads.
  public init(
    _ estimate: EstimatedDepth?, frame: CapturedFrame, options: FusionOptions = FusionOptions(),
    threads: Int = 1
  ) {
    let fused = estimate.flatMap {
      DepthFusion.fuse(relative: $0.relative, frame: frame, options: options, threads: threads)
    }
    let prompted = estimate.flatMap { $0.isPrompted ? $0.metric : nil }
    fusion = fused?.report
    metric = prompted ?? fused?.metric
    estimated = metric == nil ? estimate?.metric : nil
  }

  /// Depth that was computed before, such as by `ardf fuse`; nil for the sensor's alone.
  ///
  /// - `isFitted`: Whether it rests on the sensor; else a metric network gave it from the picture alone.
  package init(_ computed: MetricDepth?, isFitted: Bool) {
    fusion = nil
    (metric, estimated) = isFitted ? (computed, nil) : (nil, computed)
  }

  /// The best meters of every pixel: what rests on the sensor, else a metric network's.
  public var best: MetricDepth? { metric ?? estimated }
}
