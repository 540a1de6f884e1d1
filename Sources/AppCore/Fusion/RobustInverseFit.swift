import FileFormats
/// 1 / Z = slope * r + offset, fitted robustly.
///
/// Minimizes the sum of w * (Z * (slope * r + offset) - 1)^2, whose residuals are about relative errors of depth; w is
/// one over their variance, the network's error and the sensor's noise together, where the latter changes with depth.
/// With q = 1 / Z and p = w * Z^2 this is the weighted regression of q on r:
/// slope = sum p (r - r̄)(q - q̄) / sum p (r - r̄)^2 and offset = q̄ - slope * r̄, with p-weighted means. Sums are
/// in Double and centered: Float sums over a narrow range of r get even the slope's sign wrong.
struct RobustInverseFit {
  struct Line: Equatable {
    var slope: Double
    var offset: Double
  }

  /// Passes with Huber's weight min(1, k / |e|), k = 1.345 sigma.
  static let huberPasses = 6
  static let huberTuning = 1.345
  /// At most this many passes with Tukey's weight (1 - (e / c)^2)^2, c = 4.685 sigma.
  static let tukeyPasses = 14
  static let tukeyTuning = 4.685
  /// sigma = 1.4826 * median |e - median e|: the standard deviation for normal errors.
  static let deviationFactor = 1.4826
  static let smallestSigma = 1e-6
  /// Relative error of a network's inverse depth beside which a sensor's noise counts.
  static let modelError = 0.01
  /// Passes end when neither coefficient moves by more than this share of the typical 1 / Z: about what a Float resolves.
  static let convergence = 1e-7
  /// Pairs of the even sample that is fitted first where there are more than twice as many; all are fitted from there.
  static let firstPairs = 8192
  /// Two-point lines are compared on at most this many pairs.
  static let judgedPairs = 1024

  private let pairs: DepthPairs
  private let noise: SensorNoise
  /// q = 1 / Z.
  private let inverses: [Double]
  /// w * Z^2 without the robust weight.
  private let priors: [Double]
  private var residuals: [Double]
  private var distances: [Double]
  /// w * Z^2 times the robust weight.
  private var weights: [Double]
  private var scratch: [Double] = []

  init(_ pairs: DepthPairs, noise: SensorNoise) {
    self.pairs = pairs
    self.noise = noise
    inverses = pairs.meters.map { 1 / $0 }
    priors = pairs.meters.map { meters in
      guard noise.quadratic > 0 || noise.constant > 0 else { return meters * meters }
      let scatter = (noise.share + noise.quadratic * meters + noise.constant / meters) / Self.modelError
      return meters * meters / (1 + scatter * scatter)
    }
    residuals = [Double](repeating: 0, count: pairs.count)
    distances = residuals
    weights = residuals
  }

  /// The fitted line; nil if the weighted relative depths do not differ.
  mutating func solve(start: FusionStart) -> Line? {
    guard var line = first(start: start) else { return nil }
    let typical = inverses.reduce(0, +) / Double(inverses.count)
    for _ in 0..<Self.tukeyPasses {
      let bound = Self.tukeyTuning * sigma(line)
      guard let next = regression({ Self.tukeyWeight($0 / bound) }) else { break }
      let moved = max(abs(next.slope - line.slope), abs(next.offset - line.offset))
      line = next
      if moved <= Self.convergence * typical { break }
    }
    return line
  }

  /// A line from which Tukey's weights lead on.
  private mutating func first(start: FusionStart) -> Line? {
    let step = pairs.count / Self.firstPairs
    if step > 1 {
      var sample = RobustInverseFit(pairs.every(step), noise: noise)
      if let line = sample.solve(start: start) { return line }
    }
    switch start {
    case .leastSquares:
      guard var line = regression({ _ in 1 }) else { return nil }
      for _ in 0..<Self.huberPasses {
        let bound = Self.huberTuning * sigma(line)
        guard let next = regression({ bound / max(bound, abs($0)) }) else { return nil }
        line = next
      }
      return line
    case .twoPointHypotheses(let seed): return bestHypothesis(seed: seed)
    }
  }

  private static func tukeyWeight(_ u: Double) -> Double {
    let rest = max(0, 1 - u * u)
    return rest * rest
  }

  /// Weighted regression of 1 / Z on r; `weight` sees the residuals left by the last `sigma(_:)`.
  @inline(__always)
  private mutating func regression(_ weight: (Double) -> Double) -> Line? {
    var sum = 0.0
    var sumR = 0.0
    var sumQ = 0.0
    for index in residuals.indices {
      let p = priors[index] * weight(residuals[index])
      weights[index] = p
      sum += p
      sumR += p * pairs.relative[index]
      sumQ += p * inverses[index]
    }
    guard sum > 0 else { return nil }
    let meanR = sumR / sum
    let meanQ = sumQ / sum
    var covariance = 0.0
    var variance = 0.0
    for index in residuals.indices {
      let dr = pairs.relative[index] - meanR
      let pdr = weights[index] * dr
      covariance += pdr * (inverses[index] - meanQ)
      variance += pdr * dr
    }
    guard variance > 0 else { return nil }
    let slope = covariance / variance
    return Line(slope: slope, offset: meanQ - slope * meanR)
  }

  /// Fills `residuals` for `line` and gives their robust standard deviation.
  private mutating func sigma(_ line: Line) -> Double {
    for index in residuals.indices {
      residuals[index] = pairs.meters[index] * (line.slope * pairs.relative[index] + line.offset) - 1
    }
    let middle = median(residuals, scratch: &scratch)
    for index in residuals.indices { distances[index] = abs(residuals[index] - middle) }
    return max(Self.smallestSigma, Self.deviationFactor * median(distances, scratch: &scratch))
  }

  /// The line of least median |residual| on an even sample, among lines through two random pairs each.
  private mutating func bestHypothesis(seed: UInt64) -> Line? {
    let stride = max(1, pairs.count / Self.judgedPairs)
    let judged = Array(Swift.stride(from: 0, to: pairs.count, by: stride))
    var random = SplitMix64(seed: seed)
    var best: (line: Line, error: Double)?
    for _ in 0..<FusionOptions.hypotheses {
      let a = Int.random(in: 0..<pairs.count, using: &random)
      let b = Int.random(in: 0..<pairs.count, using: &random)
      let run = pairs.relative[b] - pairs.relative[a]
      let slope = (inverses[b] - inverses[a]) / run
      guard slope.isFinite else { continue }
      let line = Line(slope: slope, offset: inverses[a] - slope * pairs.relative[a])
      let errors = judged.map {
        abs(pairs.meters[$0] * (line.slope * pairs.relative[$0] + line.offset) - 1)
      }
      let error = median(errors, scratch: &scratch)
      if error < best?.error ?? .infinity { best = (line, error) }
    }
    return best?.line
  }

  /// The line with its quality over all pairs.
  mutating func alignment(_ line: Line) -> DepthAlignment {
    let bound = Self.tukeyTuning * sigma(line)
    var inliers = 0
    var squares = 0.0
    var nearest = Double.infinity
    var farthest = 0.0
    for index in residuals.indices where abs(residuals[index]) < bound {
      let z = pairs.meters[index]
      let inverse = max((1 + residuals[index]) / z, 1 / DepthAlignment.reportedRange.upperBound)
      let error = 1 / inverse - z
      inliers += 1
      squares += error * error
      nearest = min(nearest, z)
      farthest = max(farthest, z)
    }
    for index in residuals.indices { distances[index] = abs(residuals[index]) }
    return DepthAlignment(
      model: .inverse(scale: line.slope, shift: line.offset), pairs: pairs.count,
      inlierRatio: Double(inliers) / Double(pairs.count),
      medianRelativeResidual: median(distances, scratch: &scratch),
      rmseMeters: inliers > 0 ? (squares / Double(inliers)).squareRoot() : .infinity,
      fittedRangeMeters: inliers > 0 ? nearest...farthest : 0...0)
  }
}
