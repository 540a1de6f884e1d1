/// A face's position, of several frames' positions.
///
/// The mean, weighted by one over each frame's variance, so that a frame which sees a side well counts more. Frames far from
/// the weighted median are left out: their masks have leaked, or show another thing.
///
/// Part of a position's error differs from frame to frame. The rest is the same in all of them: that of the mask's edge, the
/// object's shape and the sensor's calibration. So the errors of two frames are taken to correlate by `common`: however
/// many frames there are, half of one frame's standard error remains.
struct CombinedPosition {
  /// Correlation of the errors of two frames.
  static let common = 0.25
  /// Frames farther from the median than this many usual deviations are left out.
  private static let outlying = 3.0
  /// The standard deviation of normal numbers, over the median of their distances from the middle.
  private static let ofMedian = 1.4826

  let position: Double
  /// Each frame's weight, 0 for those left out; their sum is 1.
  let weights: [Double]
  /// How much more frames scatter than their variances say, squared; 1 at least.
  let excess: Double

  /// Nil where no frame has a position.
  ///
  /// `positions`: Of each frame, with its variance; nil where it has none.
  init?(_ positions: [(value: Double, variance: Double)?]) {
    let known = positions.compactMap(\.self)
    guard let middle = Self.median(known) else { return nil }
    let apart = known.map { abs($0.value - middle) / $0.variance.squareRoot() }
    let usual = max(1, Self.ofMedian * quantile(apart, 0.5))
    func counts(_ one: (value: Double, variance: Double)) -> Bool {
      abs(one.value - middle) <= Self.outlying * usual * one.variance.squareRoot()
    }
    let unscaled = positions.map { one in one.map { counts($0) ? 1 / $0.variance : 0 } ?? 0 }
    let sum = unscaled.reduce(0, +)
    let weights = unscaled.map { $0 / sum }
    let mean = zip(weights, positions).reduce(0) { $0 + $1.0 * ($1.1?.value ?? 0) }
    let squares = zip(unscaled, positions).reduce(0) { sum, pair in
      let difference = (pair.1?.value ?? mean) - mean
      return sum + pair.0 * difference * difference
    }
    let count = unscaled.count { $0 > 0 }
    excess = count > 1 ? max(1, squares / Double(count - 1)) : 1
    (position, self.weights) = (mean, weights)
  }

  /// A position that no frame has, and about which all frames know the same.
  init(_ position: Double, frames: Int) {
    self.position = position
    weights = [Double](repeating: 1 / Double(frames), count: frames)
    excess = 1
  }

  /// The variance of a sum of the frames' errors, each times a factor.
  static func variance(_ factors: [Double], _ variances: [Double]) -> Double {
    var (sum, squares) = (0.0, 0.0)
    for (factor, variance) in zip(factors, variances) {
      sum += factor * variance.squareRoot()
      squares += factor * factor * variance
    }
    return common * sum * sum + (1 - common) * squares
  }

  /// The variance of what each frame's face errs by itself.
  func own(_ variances: [Double]) -> Double { excess * Self.variance(weights, variances) }

  /// The value below which half of the weights lie.
  private static func median(_ values: [(value: Double, variance: Double)]) -> Double? {
    let sorted = values.sorted { $0.value < $1.value }
    let half = sorted.reduce(0) { $0 + 1 / $1.variance } / 2
    var (sum, index) = (0.0, 0)
    for one in sorted {
      sum += 1 / one.variance
      // Where the halves meet between two, it is their middle.
      if abs(sum - half) < 1e-12 * half, index + 1 < sorted.count {
        return (one.value + sorted[index + 1].value) / 2
      }
      if sum > half { return one.value }
      index += 1
    }
    return sorted.last?.value
  }
}
