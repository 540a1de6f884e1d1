/// Z = alpha * r + beta by ordinary least squares.
struct LinearDepthFit {
  let alpha: Double
  let beta: Double

  /// The line of least squared error in meters; nil if the relative depths are all the same.
  static func leastSquares(_ pairs: DepthPairs) -> LinearDepthFit? {
    let n = Double(pairs.count)
    let meanR = pairs.relative.reduce(0, +) / n
    let meanZ = pairs.meters.reduce(0, +) / n
    var covariance = 0.0
    var variance = 0.0
    for (r, z) in zip(pairs.relative, pairs.meters) {
      covariance += (r - meanR) * (z - meanZ)
      variance += (r - meanR) * (r - meanR)
    }
    guard variance > 0 else { return nil }
    let alpha = covariance / variance
    return LinearDepthFit(alpha: alpha, beta: meanZ - alpha * meanR)
  }

  /// The fit with its quality; every pair counts as an inlier.
  func alignment(over pairs: DepthPairs) -> DepthAlignment {
    var residuals: [Double] = []
    residuals.reserveCapacity(pairs.count)
    var squares = 0.0
    for (r, z) in zip(pairs.relative, pairs.meters) {
      let error = alpha * r + beta - z
      residuals.append(abs(error) / z)
      squares += error * error
    }
    var scratch: [Double] = []
    return DepthAlignment(
      model: .linear(alpha: alpha, beta: beta), pairs: pairs.count, inlierRatio: 1,
      medianRelativeResidual: median(residuals, scratch: &scratch),
      rmseMeters: (squares / Double(pairs.count)).squareRoot(),
      fittedRangeMeters: (pairs.meters.min() ?? 0)...(pairs.meters.max() ?? 0))
  }
}
