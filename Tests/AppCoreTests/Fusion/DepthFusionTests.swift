import AppCore
import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct DepthFusionTests {
  /// Coefficients from exact pairs.
  static let rounding = 1e-9
  /// Coefficients from 20,000 pairs with 1 % noise.
  static let noisy = 5e-4
  /// Coefficients under 45 % outliers: those near the crossing of the two populations cannot be separated,
  /// and they widen the deviation estimate.
  static let contaminated = 2e-3
  /// Integrals over a uniform density against sums over 35,001 even samples.
  static let sampling = 1e-3

  static func inverse(_ report: FusionReport) throws -> (scale: Double, shift: Double) {
    let alignment = try #require(report.alignment)
    guard case .inverse(let scale, let shift) = alignment.model else {
      Issue.record("not an inverse fit")
      return (.nan, .nan)
    }
    return (scale, shift)
  }

  @Test func exactPairsAreRecovered() throws {
    let (r, z) = FusionScene.pairs(count: 500, noise: 0, outliers: 0, seed: 1)
    let report = DepthFusion.fit(relative: r, meters: z)
    let line = try Self.inverse(report)
    #expect(abs(line.scale - FusionScene.scale) < Self.rounding)
    #expect(abs(line.shift - FusionScene.shift) < Self.rounding)
    #expect(report.alignment?.inlierRatio == 1)
    #expect(report.alignment?.rmseMeters ?? 1 < Self.rounding)
  }

  @Test(arguments: [UInt64(1), 2, 3]) func noiseAndOutliersAreWithstood(_ seed: UInt64) throws {
    let (r, z) = FusionScene.pairs(count: 20_000, noise: 0.01, outliers: 0.1, seed: seed)
    let report = DepthFusion.fit(relative: r, meters: z)
    let line = try Self.inverse(report)
    #expect(abs(line.scale - FusionScene.scale) < Self.noisy)
    #expect(abs(line.shift - FusionScene.shift) < Self.noisy)
    let alignment = try #require(report.alignment)
    #expect(abs(alignment.meters(of: 5.6).meters - 0.5) < 0.5 * 0.002)
    #expect(alignment.inlierRatio > 0.88 && alignment.inlierRatio < 0.95)
    #expect(alignment.medianRelativeResidual < 0.01)
    // What the outliers do to plain least squares of the same objective.
    let plain = Self.plainLeastSquares(r, z)
    #expect(abs(1 / (plain.scale * 5.6 + plain.shift) - 0.5) > 0.5 * 0.1)
  }

  static func plainLeastSquares(_ r: [Double], _ z: [Double]) -> (scale: Double, shift: Double) {
    let p = z.map { $0 * $0 }
    let sum = p.reduce(0, +)
    let meanR = zip(p, r).reduce(0) { $0 + $1.0 * $1.1 } / sum
    let meanQ = z.reduce(0, +) / sum
    var covariance = 0.0
    var variance = 0.0
    for index in r.indices {
      covariance += p[index] * (r[index] - meanR) * (1 / z[index] - meanQ)
      variance += p[index] * (r[index] - meanR) * (r[index] - meanR)
    }
    return (covariance / variance, meanQ - covariance / variance * meanR)
  }

  @Test func halfOutliersNeedHypotheses() throws {
    var (r, z) = FusionScene.pairs(count: 20_000, noise: 0.01, outliers: 0, seed: 9)
    // Nearly half the pairs see a wall behind a pane of glass: one consistent wrong depth.
    for index in r.indices where index % 20 < 9 { z[index] = 3.5 + Double(index % 7) / 100 }
    let report = DepthFusion.fit(
      relative: r, meters: z, options: FusionOptions(start: .twoPointHypotheses(seed: 4)))
    let line = try Self.inverse(report)
    #expect(abs(line.scale - FusionScene.scale) < Self.contaminated)
    #expect(abs(line.shift - FusionScene.shift) < Self.contaminated)
    let plain = DepthFusion.fit(relative: r, meters: z)
    if plain.status == .ok {
      #expect(abs(try Self.inverse(plain).scale - FusionScene.scale) > 10 * Self.contaminated)
    }
    let again = DepthFusion.fit(
      relative: r, meters: z, options: FusionOptions(start: .twoPointHypotheses(seed: 4)))
    #expect(report == again)
  }

  @Test func quadraticNoiseTrustsNearPairs() throws {
    var random = SplitMix64(seed: 21)
    var errors = (proportional: 0.0, quadratic: 0.0)
    for _ in 0..<20 {
      let truth = (0..<500).map { _ in Double.random(in: 0.3...4, using: &random) }
      let r = truth.map { 3 / $0 - 0.4 }
      let z = truth.map { $0 + 0.02 * $0 * $0 * random.gaussian() }
      let a = try Self.inverse(DepthFusion.fit(relative: r, meters: z))
      let b = try Self.inverse(
        DepthFusion.fit(relative: r, meters: z, options: FusionOptions(sensor: SensorModel(.stereo))))
      errors.proportional += (a.scale - FusionScene.scale) * (a.scale - FusionScene.scale)
      errors.quadratic += (b.scale - FusionScene.scale) * (b.scale - FusionScene.scale)
    }
    #expect(errors.quadratic < errors.proportional)
  }

  @Test func narrowRangesKeepTheirSign() throws {
    // 49,152 pairs with r in 0.90...0.91.
    var random = SplitMix64(seed: 33)
    var r: [Double] = []
    var z: [Double] = []
    for _ in 0..<49_152 {
      let value = Double.random(in: 0.9...0.91, using: &random)
      r.append(value)
      z.append(1 / (1.2 * value - 0.6) * (1 + 0.001 * random.gaussian()))
    }
    let line = try Self.inverse(DepthFusion.fit(relative: r, meters: z))
    #expect(abs(line.scale - 1.2) < 0.01)
    // The textbook formula with Float sums is not even near.
    var sums = (r: Float(0), q: Float(0), rr: Float(0), rq: Float(0))
    for (r, z) in zip(r, z) {
      let (r, q) = (Float(r), Float(1 / z))
      sums = (sums.r + r, sums.q + q, sums.rr + r * r, sums.rq + r * q)
    }
    let n = Float(r.count)
    let naive = (n * sums.rq - sums.r * sums.q) / (n * sums.rr - sums.r * sums.r)
    #expect(!(abs(naive - 1.2) < 0.1))
  }

  @Test func aLineThroughAHyperbolaIsWrong() throws {
    let z = (0..<35_001).map { 0.5 + Double($0) * 1e-4 }
    let r = z.map { 3 / $0 - 0.4 }
    let report = DepthFusion.fit(relative: r, meters: z, options: FusionOptions(model: .linear))
    let alignment = try #require(report.alignment)
    guard case .linear(let alpha, let beta) = alignment.model else {
      Issue.record("not a linear fit")
      return
    }
    // With Z uniform in 0.5...4: E[1/Z] = ln 8 / 3.5, E[1/Z^2] = 0.5, E[Z] = 2.25, r = 3/Z - 0.4.
    let meanInverse = log(8) / 3.5
    let slope = (3 - 3 * meanInverse * 2.25) / (9 * (0.5 - meanInverse * meanInverse))
    let offset = 2.25 - slope * (3 * meanInverse - 0.4)
    #expect(abs(alpha - slope) < Self.sampling)
    #expect(abs(beta - offset) < Self.sampling)
    #expect(abs(alignment.rmseMeters - 0.50) < 5 * Self.sampling)
    // A negative depth for something half a meter away.
    #expect(alpha * 5.6 + beta < -0.95)
    #expect(alignment.meters(of: 5.6) == (0.01, .extrapolated))
    #expect(report.json["alpha"]?.number == alpha && report.json["scale"] == nil)
  }

  @Test func refusalsNameTheirReason() {
    let (r, z) = FusionScene.pairs(count: 200, noise: 0, outliers: 0, seed: 1)
    #expect(DepthFusion.fit(relative: Array(r[..<19]), meters: Array(z[..<19])).status == .tooFewPairs)
    #expect(DepthFusion.fit(relative: Array(r[..<20]), meters: Array(z[..<20])).status == .ok)
    #expect(DepthFusion.fit(relative: [], meters: []).status == .tooFewPairs)
    #expect(DepthFusion.fit(relative: z.map { _ in 0.7 }, meters: z).status == .degenerate)
    #expect(DepthFusion.fit(relative: z, meters: z).status == .negativeSlope)
    var random = SplitMix64(seed: 8)
    let unrelated = r.map { _ in Double.random(in: 1...5, using: &random) }
    let status = DepthFusion.fit(relative: unrelated, meters: z).status
    #expect(status == .poorFit || status == .negativeSlope)
    // Two scenes of opposite scale in one picture: rising on the whole, fitting neither.
    let split = r.indices.map { $0 % 2 == 0 ? r[$0] : r[$0] * 0.2 }
    #expect(DepthFusion.fit(relative: split, meters: z).status == .poorFit)
    let refused = DepthFusion.fit(relative: z, meters: z)
    #expect(refused.alignment == nil)
    #expect(
      refused.json.serialized()
        == #"{"model":"inverse","pairs":200,"schema":"ardf.fusion/1","status":"negative-slope"}"#)
  }

  @Test func unusablePairsAreLeftOut() {
    let (r, z) = FusionScene.pairs(count: 30, noise: 0, outliers: 0, seed: 1)
    let bad: [(Double, Double)] = [
      (.nan, 1), (1, .nan), (.infinity, 1), (1, .infinity), (0, 1), (-1, 1), (1, 0), (1, -2),
    ]
    let report = DepthFusion.fit(relative: r + bad.map(\.0), meters: z + bad.map(\.1))
    #expect(report.pairs == 30)
    #expect(report.alignment == DepthFusion.fit(relative: r, meters: z).alignment)
  }

  @Test func theReportSaysWhatTheFormatAsks() throws {
    let (r, z) = FusionScene.pairs(count: 5000, noise: 0.01, outliers: 0.1, seed: 3)
    let report = DepthFusion.fit(relative: r, meters: z)
    let json = try JSONValue.parse(report.json.serialized(pretty: true))
    #expect(json["schema"]?.string == "ardf.fusion/1")
    #expect(json["status"]?.string == "ok")
    #expect(json["model"]?.string == "inverse")
    #expect(json["pairs"]?.integer == 5000)
    #expect(json["fittedRangeMeters"]?.numbers?.count == 2)
    let line = try Self.inverse(report)
    #expect(json["scale"]?.number == line.scale && json["shift"]?.number == line.shift)
    for key in ["inlierRatio", "medianRelativeResidual", "rmseMeters"] {
      #expect(json[key]?.number != nil, "\(key)")
    }
  }
}
