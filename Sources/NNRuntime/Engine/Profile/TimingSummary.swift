import FileFormats

/// Summary of repeated measurements; times in milliseconds.
public struct TimingSummary: Sendable, Equatable {
  /// Number of measurements.
  public let count: Int
  /// Arithmetic mean.
  public let mean: Double
  /// Standard deviation of the sample (n - 1); 0 for one measurement.
  public let deviation: Double
  /// The least measurement.
  public let minimum: Double
  /// Lower quartile, median, upper quartile.
  public let quartiles: Quartiles
  /// 95 and 99 % of the measurements are not above these.
  public let percentile95, percentile99: Double
  /// The largest measurement.
  public let maximum: Double
  /// Measurements further than three interquartile ranges outside the quartiles (Tukey's far outliers).
  public let outliers: Int

  /// The middle of a sample.
  public struct Quartiles: Sendable, Equatable {
    /// A quarter, a half and three quarters of the measurements are not above these.
    public let lower, median, upper: Double

    /// Quartiles known already.
    public init(lower: Double, median: Double, upper: Double) {
      self.lower = lower
      self.median = median
      self.upper = upper
    }
  }

  /// Interquartile ranges between a quartile and a far outlier.
  private static let fence = 3.0

  /// Sums up `samples`, at least one.
  public init(_ samples: [Double]) {
    precondition(!samples.isEmpty, "a summary of nothing")
    let sorted = samples.sorted()
    let mean = samples.reduce(0, +) / Double(samples.count)
    let squares = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let quartiles = Quartiles(
      lower: Self.percentile(of: sorted, 0.25), median: Self.percentile(of: sorted, 0.5),
      upper: Self.percentile(of: sorted, 0.75))
    let reach = Self.fence * (quartiles.upper - quartiles.lower)
    count = samples.count
    self.mean = mean
    deviation = samples.count > 1 ? (squares / Double(samples.count - 1)).squareRoot() : 0
    minimum = sorted[0]
    self.quartiles = quartiles
    percentile95 = Self.percentile(of: sorted, 0.95)
    percentile99 = Self.percentile(of: sorted, 0.99)
    maximum = sorted[sorted.count - 1]
    outliers = samples.count { $0 < quartiles.lower - reach || $0 > quartiles.upper + reach }
  }

  /// Median.
  public var median: Double { quartiles.median }

  /// The value below which `share` (0 to 1) of the sorted samples lie, interpolated between its neighbors as
  /// NumPy does.
  public static func percentile(of sorted: [Double], _ share: Double) -> Double {
    let position = share * Double(sorted.count - 1)
    let below = Int(position)
    guard below + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[below] + (position - Double(below)) * (sorted[below + 1] - sorted[below])
  }

  /// The members of a report, under the names that trtexec uses where it has one.
  package var members: [String: JSONValue] {
    func time(_ value: Double) -> JSONValue { .rounded(value, decimals: 6) }
    return [
      "count": .integer(count), "averageMs": time(mean), "deviationMs": time(deviation),
      "minMs": time(minimum), "quartile1Ms": time(quartiles.lower), "medianMs": time(median),
      "quartile3Ms": time(quartiles.upper), "p95Ms": time(percentile95), "p99Ms": time(percentile99),
      "maxMs": time(maximum), "outliers": .integer(outliers),
    ]
  }
}

extension TimingSummary.Quartiles {
  /// The quartiles of a report's entry; nil where it has none.
  package init?(_ entry: JSONValue) {
    guard let lower = entry["quartile1Ms"]?.number, let median = entry["medianMs"]?.number,
      let upper = entry["quartile3Ms"]?.number, lower <= median, median <= upper, lower >= 0
    else { return nil }
    self.init(lower: lower, median: median, upper: upper)
  }
}
