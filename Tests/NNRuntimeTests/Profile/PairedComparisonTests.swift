import FileFormats
import Foundation
import NNRuntime
import TestSupport
import Testing

@Suite("Two programs in turns")
struct PairedComparisonTests {
  /// Reproducible noise: the sum of twelve uniform numbers, nearly normal, of standard deviation 1.
  private struct Noise {
    var numbers: SplitMix64

    mutating func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + numbers.uniform() } }
  }

  /// Rows of turns with noise of `deviation`, on a machine that drifts; those from `slow` on take `factor` times as long.
  private func rows(
    _ count: Int, turns: Int, deviation: Double, seed: UInt64, slow: Int = .max, factor: Double = 1
  ) -> [PairedTimes] {
    var noise = Noise(numbers: SplitMix64(seed: seed))
    return (0..<count).map { row in
      PairedTimes(
        name: "\(row)",
        turns: (0..<turns).map { turn in
          let machine = 1 + 0.5 * Double(turn % 3)
          func time(_ base: Double) -> Double { base * machine * exp(deviation * noise.normal()) }
          return PairedTimes.Turn(
            old: time(2), oldAgain: time(2), new: time(row >= slow ? 2 * factor : 2))
        })
    }
  }

  @Test("of equal programs, hardly a gate of a hundred rows fails, whatever the noise")
  func equal() {
    for deviation in [0.001, 0.02, 0.1] {
      let failed = (0..<40).count { seed in
        PairedComparison(
          rows(100, turns: 10, deviation: deviation, seed: UInt64(seed)), tolerance: 0
        ).rows.contains { $0.verdict == .slower }
      }
      #expect(failed <= 2, "\(failed) of 40 at \(deviation)")
    }
  }

  @Test("a row that is slower by more than its bound is told, and no other")
  func slower() {
    let comparison = PairedComparison(
      rows(50, turns: 12, deviation: 0.02, seed: 3, slow: 49, factor: 1.15), tolerance: 0.02)
    #expect(comparison.rows.filter { $0.verdict == .slower }.map(\.times.name) == ["49"])
    #expect(comparison.rows.allSatisfy { $0.bound > 0.02 && $0.bound < 0.1 })
    #expect(abs(comparison.rows[49].times.ratio - 1.15) < 0.05)
  }

  @Test("a change below the tolerance is none, however small the noise")
  func tolerance() {
    let rows = rows(10, turns: 8, deviation: 1e-5, seed: 1, slow: 0, factor: 1.015)
    #expect(PairedComparison(rows, tolerance: 0.02).rows.allSatisfy { $0.verdict == .same })
    #expect(PairedComparison(rows, tolerance: 0.01).rows.allSatisfy { $0.verdict == .slower })
    let faster = self.rows(10, turns: 8, deviation: 1e-5, seed: 1, slow: 0, factor: 0.9)
    #expect(PairedComparison(faster, tolerance: 0.02).rows.allSatisfy { $0.verdict == .faster })
  }
}
