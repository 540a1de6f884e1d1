import Geometry
import Imaging

/// The function that is fitted.
public enum FusionModel: String, Sendable, CaseIterable {
  /// 1 / Z = scale * r + shift, robustly: what relative depth means.
  case inverse
  /// Z = alpha * r + beta by least squares: what the phone app does, for comparison.
  case linear
}

/// Fusion of a sensor's readings and relative depth into metric depth.
public enum FusionMethod: String, Sendable, CaseIterable {
  /// The readings where there are any, relative depth between them.
  case guided
  /// One function from relative depth to meters for the whole picture.
  case fit
}

/// From which coefficients the robust fit sets out.
public enum FusionStart: Sendable, Equatable {
  /// From least squares and Huber passes: for up to about 30 % outliers.
  case leastSquares
  /// From the best of `FusionOptions.hypotheses` lines through two random pairs each: for more outliers.
  case twoPointHypotheses(seed: UInt64)
}

/// How `DepthFusion.fit` works.
public struct FusionOptions: Sendable {
  /// The least number of pairs.
  public static let minimumPairs = 20
  /// How many two-point lines are tried.
  public static let hypotheses = 64

  /// How metric depth is made.
  public var method: FusionMethod
  /// The function that is fitted.
  public var model: FusionModel
  /// Model of the sensor: pairs are weighted by its noise.
  public var sensor: SensorModel
  /// Where the robust fit sets out.
  public var start: FusionStart

  /// Options; the defaults suit a phone's depth sensor.
  public init(
    method: FusionMethod = .guided, model: FusionModel = .inverse, sensor: SensorModel = SensorModel(),
    start: FusionStart = .leastSquares
  ) {
    self.method = method
    self.model = model
    self.sensor = sensor
    self.start = start
  }
}

/// Fits relative depth to a sensor's meters.
public enum DepthFusion {
  /// Spread (standard deviation / mean) of the relative depths below which nothing can be fitted.
  static let minimumSpread = 1e-3
  /// Median relative residual above which a fit is refused.
  static let maximumMedianResidual = 0.15
  /// Slopes of the linear model that the phone app accepts.
  static let linearSlopes = 1e-4..<1000.0

  /// The alignment of a relative depth map with a sensor's depth of the same picture.
  ///
  /// Both grids cover the picture's whole field, in the same orientation. Same input, same result, bit for bit.
  public static func fit(
    relative: RelativeDepth, sensor: MetricDepth, options: FusionOptions = FusionOptions()
  ) -> FusionReport {
    fit(material(relative, sensor, options.model), options: options)
  }

  /// The pairs of relative depth and meters that a fit of `model` rests on, row by row of the sensor's grid.
  public static func pairs(
    relative: RelativeDepth, sensor: MetricDepth, model: FusionModel
  ) -> (relative: [Double], meters: [Double]) {
    let pairs = material(relative, sensor, model)
    return (pairs.relative, pairs.meters)
  }

  static func material(
    _ relative: RelativeDepth, _ sensor: MetricDepth, _ model: FusionModel
  ) -> DepthPairs {
    DepthPairs(relative: relative, sensor: sensor, mapping: model == .linear ? .indexRatio : .halfPixel)
  }

  /// The alignment of pairs of relative depth and meters; pairs that are not finite and positive are left out.
  package static func fit(
    relative: [Double], meters: [Double], options: FusionOptions = FusionOptions()
  ) -> FusionReport {
    let usable = zip(relative, meters).filter { $0 > 0 && $0.isFinite && $1 > 0 && $1.isFinite }
    return fit(DepthPairs(relative: usable.map(\.0), meters: usable.map(\.1)), options: options)
  }

  static func fit(_ pairs: DepthPairs, options: FusionOptions) -> FusionReport {
    func refused(_ status: FusionStatus) -> FusionReport {
      FusionReport(refused: status, pairs: pairs.count, model: options.model)
    }
    guard pairs.count >= FusionOptions.minimumPairs else { return refused(.tooFewPairs) }
    guard spread(pairs.relative) >= minimumSpread else { return refused(.degenerate) }

    switch options.model {
    case .linear:
      guard let line = LinearDepthFit.leastSquares(pairs), linearSlopes.contains(abs(line.alpha))
      else { return refused(.degenerate) }
      return FusionReport(accepted: line.alignment(over: pairs), model: .linear)
    case .inverse:
      var regression = RobustInverseFit(pairs, noise: options.sensor.noise)
      guard let line = regression.solve(start: options.start) else { return refused(.degenerate) }
      guard line.slope > 0 else { return refused(.negativeSlope) }
      let alignment = regression.alignment(line)
      guard alignment.medianRelativeResidual <= maximumMedianResidual else { return refused(.poorFit) }
      return FusionReport(accepted: alignment, model: .inverse)
    }
  }

  /// Standard deviation over mean, centered sums.
  private static func spread(_ values: [Double]) -> Double {
    let mean = values.reduce(0, +) / Double(values.count)
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    return variance.squareRoot() / mean
  }
}
