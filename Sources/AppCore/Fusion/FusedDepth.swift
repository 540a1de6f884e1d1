import Imaging

/// Metric depth of a whole picture, and how it came about.
public struct FusedDepth: Sendable {
  /// The fit, and what hidden readings say of the result.
  public let report: FusionReport
  /// The depth on the relative depth's grid; nil where nothing could be fitted.
  public let metric: MetricDepth?
}

extension DepthFusion {
  /// Metric depth from relative depth and a sensor's readings of the same picture.
  ///
  /// Both grids cover the picture's whole field, in the same orientation. Same input, same result, bit for bit.
  /// `unsure` has all readings in meters whatever their confidence: on the ramps that the sensor makes of steps they take part.
  public static func fuse(
    relative: RelativeDepth, sensor: MetricDepth, unsure: Plane<Float>? = nil,
    options: FusionOptions = FusionOptions()
  ) -> FusedDepth {
    var report = fit(relative: relative, sensor: sensor, options: options)
    guard let alignment = report.alignment else { return FusedDepth(report: report, metric: nil) }
    let metric =
      switch options.method {
      case .guided:
        alignment.metric(
          relative,
          following: GuidedRamps(sensor, unsure: unsure, relative, alignment, model: options.sensor)?
            .readings ?? sensor,
          noise: options.sensor.noise)
      case .fit: alignment.metric(relative)
      }
    report.method = options.method
    report.sensor = options.sensor
    report.quality = FusionQuality(relative: relative, sensor: sensor, options: options)
    report.shares = metric.shares
    return FusedDepth(report: report, metric: metric)
  }

  /// Metric depth of a frame, fused with its own readings as its sensor is; nil without depth.
  public static func fuse(
    relative: RelativeDepth, frame: CapturedFrame, options: FusionOptions = FusionOptions()
  ) -> FusedDepth? {
    guard let readings = frame.readings else { return nil }
    var options = options
    options.sensor = frame.sensor
    return fuse(relative: relative, sensor: readings, unsure: frame.depth, options: options)
  }
}

extension MetricDepth {
  /// The share of cells known in each way.
  var shares: [DepthState: Double] {
    var counts = [Int](repeating: 0, count: DepthState.allCases.count)
    for state in states.elements { counts[Int(state.rawValue)] += 1 }
    return Dictionary(
      uniqueKeysWithValues: DepthState.allCases.map {
        ($0, Double(counts[Int($0.rawValue)]) / Double(states.elements.count))
      })
  }
}
