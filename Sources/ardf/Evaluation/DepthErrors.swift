import FileFormats

/// How an estimate's unit is found before it is compared.
package enum DepthUnitRule: String, CaseIterable, Sendable {
  /// The estimate is in meters.
  case none
  /// Scale and shift of inverse depth by least squares, frame by frame: what a relative network leaves open.
  case scaleShift = "scale-shift"
}

/// How far an estimate is off the sensor's readings.
package struct DepthErrors: Sendable, Equatable {
  /// The mean of |estimate - reading| / reading.
  package let absRel: Double
  /// The root of the mean squared difference, meters.
  package let rmse: Double
  /// The share of readings that the estimate is off by a factor of less than 1.25.
  package let delta1: Double
  /// Readings compared.
  package let readings: Int

  /// The bound of `delta1`.
  private static let factor = 1.25
  /// The largest fitted depth, in medians of the readings.
  private static let farthest = 10.0
  /// Readings below which there is nothing to fit.
  package static let leastReadings = 16

  /// Errors over the cells that have a reading and an estimate; nil for too few of them, and where no scale fits.
  ///
  /// - `meters`: readings, planar depth; 0 or NaN where there is none.
  /// - `estimate`: of the same cells: meters, or for `.scaleShift` any affine function of inverse depth. Once fitted it is
  ///   taken for no farther than ten times the median reading.
  package init?(meters: [Float], estimate: [Float], unit: DepthUnitRule) {
    precondition(meters.count == estimate.count, "an estimate for each reading")
    var readings: [Double] = []
    var values: [Double] = []
    for (reading, value) in zip(meters, estimate)
    where reading > 0 && reading.isFinite && value.isFinite && (unit == .scaleShift || value > 0) {
      readings.append(Double(reading))
      values.append(Double(value))
    }
    guard readings.count >= Self.leastReadings else { return nil }
    if unit == .scaleShift {
      guard let fit = Self.fit(values, to: readings.map { 1 / $0 }) else { return nil }
      let farthest = Self.farthest * Self.median(readings)
      values = values.map { 1 / max(fit.scale * $0 + fit.shift, 1 / farthest) }
    }
    var (relative, squares) = (0.0, 0.0)
    var close = 0
    for (reading, value) in zip(readings, values) {
      relative += abs(value - reading) / reading
      squares += (value - reading) * (value - reading)
      if max(value / reading, reading / value) < Self.factor { close += 1 }
    }
    let count = Double(readings.count)
    (absRel, rmse) = (relative / count, (squares / count).squareRoot())
    delta1 = Double(close) / count
    self.readings = readings.count
  }

  /// The mean over frames, each of which counts the same; nil of none.
  package init?(mean frames: [DepthErrors]) {
    guard !frames.isEmpty else { return nil }
    let count = Double(frames.count)
    absRel = frames.reduce(0) { $0 + $1.absRel } / count
    rmse = frames.reduce(0) { $0 + $1.rmse } / count
    delta1 = frames.reduce(0) { $0 + $1.delta1 } / count
    readings = frames.reduce(0) { $0 + $1.readings }
  }

  /// The middle of some numbers, or between the two in the middle.
  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The line of least squared differences; nil where all values are the same.
  private static func fit(_ values: [Double], to targets: [Double]) -> (scale: Double, shift: Double)? {
    let count = Double(values.count)
    let (mean, targetMean) = (values.reduce(0, +) / count, targets.reduce(0, +) / count)
    var (covariance, variance) = (0.0, 0.0)
    for (value, target) in zip(values, targets) {
      covariance += (value - mean) * (target - targetMean)
      variance += (value - mean) * (value - mean)
    }
    guard variance > 0 else { return nil }
    let scale = covariance / variance
    return (scale, targetMean - scale * mean)
  }
}
