import FileFormats
import NNRuntime
import TestSupport
import Testing

@Suite("Timing statistics")
struct TimingTests {
  @Test func percentilesInterpolateAsNumPyDoes() {
    let sorted: [Double] = [10, 20, 30, 40]
    #expect(TimingSummary.percentile(of: sorted, 0) == 10)
    #expect(TimingSummary.percentile(of: sorted, 0.25) == 17.5)
    #expect(TimingSummary.percentile(of: sorted, 0.5) == 25)
    #expect(TimingSummary.percentile(of: sorted, 0.75) == 32.5)
    #expect(TimingSummary.percentile(of: sorted, 1) == 40)
    #expect(TimingSummary.percentile(of: [7], 0.95) == 7)
  }

  @Test func summaryOfKnownSamples() {
    // Out of order; deviations from the mean 5: -3 -1 -1 -1 0 0 2 4, squares 32, over 7.
    let summary = TimingSummary([9, 4, 2, 5, 4, 7, 4, 5])
    #expect(summary.count == 8)
    #expect(summary.mean == 5)
    #expect(summary.deviation == (32.0 / 7).squareRoot())
    #expect(summary.minimum == 2)
    #expect(summary.maximum == 9)
    #expect(summary.quartiles == .init(lower: 4, median: 4.5, upper: 5.5))
    #expect(summary.outliers == 0)
  }

  @Test func tails() {
    #expect(TimingSummary((0...20).map { Double($0) }).percentile95 == 19)
    #expect(TimingSummary((0...100).map { Double($0) }).percentile99 == 99)
  }

  @Test func oneSample() {
    let summary = TimingSummary([3])
    #expect(summary.mean == 3 && summary.median == 3 && summary.deviation == 0 && summary.outliers == 0)
  }

  /// The fences of 1...9 are 3 - 3 * 4 and 7 + 3 * 4.
  @Test(arguments: [(19.0, 0), (30.0, 1)])
  func outliersLieBeyondTheFence(sample: Double, count: Int) {
    let samples = (1...8).map { Double($0) } + [sample]
    #expect(TimingSummary(samples).outliers == count)
  }

  @Test func reportsReadBack() {
    let summary = TimingSummary([1, 2, 3, 4, 5])
    #expect(TimingSummary.Quartiles(.object(summary.members)) == summary.quartiles)
    #expect(TimingSummary.Quartiles(["medianMs": 3, "quartile1Ms": 2]) == nil)
    #expect(TimingSummary.Quartiles(["medianMs": 3, "quartile1Ms": 4, "quartile3Ms": 5]) == nil)
  }

  private static func quartiles(_ lower: Double, _ median: Double, _ upper: Double) -> TimingSummary.Quartiles
  {
    .init(lower: lower, median: median, upper: upper)
  }

  /// A difference counts where it is over the tolerance and the quartiles have passed each other.
  @Test(arguments: [
    (quartiles(109, 110, 111), TimingComparison.Verdict.slower),
    // Over the tolerance, but within the noise.
    (quartiles(101, 110, 130), .same),
    // Past the noise, but under the tolerance.
    (quartiles(103, 104, 105), .same),
    (quartiles(89, 90, 91), .faster),
    (quartiles(80, 90, 99), .same),
    (quartiles(99, 100, 102), .same),
  ])
  func verdicts(new: TimingSummary.Quartiles, verdict: TimingComparison.Verdict) {
    let comparison = TimingComparison(old: Self.quartiles(98, 100, 102), new: new, tolerance: 0.05)
    #expect(comparison.verdict == verdict)
    #expect(comparison.ratio == new.median / 100)
  }

  /// Simulated timings of runs that take `center`: skewed noise of `spread`, and now and then a delayed run.
  private static func runs(
    _ center: Double, spread: Double, holdUps: Double = 0.05, from generator: inout SplitMix64
  ) -> TimingSummary.Quartiles {
    let samples = (0..<40).map { _ in
      let noise = spread * generator.uniform() * generator.uniform()
      return center * (1 + noise + (generator.uniform() < holdUps ? 2 : 0))
    }
    return TimingSummary(samples).quartiles
  }

  /// Share of `trials` comparisons with each verdict.
  private func shares(
    of factor: Double, spread: Double, seed: UInt64
  ) -> [TimingComparison.Verdict: Double] {
    var generator = SplitMix64(seed: seed)
    let trials = 500
    var counts: [TimingComparison.Verdict: Double] = [:]
    for _ in 0..<trials {
      let old = Self.runs(100, spread: spread, from: &generator)
      let new = Self.runs(100 * factor, spread: spread, from: &generator)
      counts[TimingComparison(old: old, new: new).verdict, default: 0] += 1 / Double(trials)
    }
    return counts
  }

  @Test(arguments: [0.02, 0.2, 1])
  func noiseAloneIsNoDifference(spread: Double) {
    #expect((shares(of: 1, spread: spread, seed: 1)[.same] ?? 0) > 0.998)
  }

  @Test(arguments: [(1.1, TimingComparison.Verdict.slower), (0.9, .faster)])
  func aTenthIsSeenThroughModestNoise(factor: Double, verdict: TimingComparison.Verdict) {
    #expect((shares(of: factor, spread: 0.1, seed: 2)[verdict] ?? 0) > 0.998)
  }

  @Test func aTenthIsNotToldFromWildNoise() {
    let shares = shares(of: 1.1, spread: 2, seed: 3)
    #expect((shares[.same] ?? 0) > 0.99)
    #expect(shares[.faster] == nil)
  }

  /// Real, but too small to matter.
  @Test func threeHundredthsAreLeftAlone() {
    #expect((shares(of: 1.03, spread: 0.01, seed: 4)[.same] ?? 0) > 0.998)
  }

  @Test func nothingToDivideBy() {
    let zero = Self.quartiles(0, 0, 0)
    #expect(TimingComparison(old: zero, new: zero).verdict == .same)
    #expect(TimingComparison(old: zero, new: zero).ratio == nil)
  }
}
