import Geometry

/// How far away an object is, and how that is known.
public struct ObjectDistance: Sendable, Equatable {
  /// Where a distance comes from.
  public enum Source: String, Sendable, CaseIterable {
    /// The depth sensor, of whatever kind; `lidar` in files.
    case sensor = "lidar"
    /// Relative depth aligned with the sensor.
    case fusion
    /// A metric depth network, from the picture alone.
    case network
    /// There is no distance.
    case none
  }

  /// Planar depth in meters, the median of the samples; nil for source `none`.
  public let meters: Double?
  /// Where it comes from.
  public let source: Source
  /// How many readings it rests on.
  public let samples: Int
  /// The 5 % and 95 % quantiles of the readings, meters.
  public let range: ClosedRange<Double>?

  /// Standard deviation of the distance over repeated captures, meters: what the readings' neighborhood and their frame err
  /// by; nil where it does not rest on a sensor's readings.
  func error(of sensor: SensorModel) -> Double? {
    guard source == .sensor, let meters else { return nil }
    let errors = sensor.errors
    let alike = errors.relative(at: meters)
    let white = errors.white.deviation(at: meters) / meters
    let own = white * white / Double(max(samples, 1))
    return meters * (own + alike.correlated * alike.correlated + alike.bias * alike.bias).squareRoot()
  }

  /// No distance.
  static let unknown = ObjectDistance(meters: nil, source: .none, samples: 0, range: nil)

  private init(meters: Double?, source: Source, samples: Int, range: ClosedRange<Double>?) {
    self.meters = meters
    self.source = source
    self.samples = samples
    self.range = range
  }

  /// The distance of at least one cell of the sensor's; `fusion` where most of them had no reading of their own.
  init(cells: [SensorWindow.Cell]) {
    let sorted = cells.map(\.meters).sorted()
    let n = sorted.count
    let source: Source = 2 * cells.count(where: \.isMeasured) >= n ? .sensor : .fusion
    self.init(meters: sorted[n / 2], source: source, samples: n, range: depthBand(sorted))
  }

  /// The distance of at least one reading of a metric network's depth.
  init(network readings: [Double]) {
    let sorted = readings.sorted()
    self.init(
      meters: sorted[sorted.count / 2], source: .network, samples: sorted.count, range: depthBand(sorted))
  }

  /// The distance read from fused depth at one point.
  init(fused meters: Double) {
    self.init(meters: meters, source: .fusion, samples: 1, range: meters...meters)
  }
}

/// The 5 % and 95 % quantiles d[5n / 100] and d[min(n - 1, 95n / 100)] of sorted depths, integer division.
func depthBand(_ sorted: [Double]) -> ClosedRange<Double> {
  let n = sorted.count
  return sorted[5 * n / 100]...sorted[min(n - 1, 95 * n / 100)]
}
