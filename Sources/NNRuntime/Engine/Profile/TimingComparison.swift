/// Two measurements of one thing, and whether they differ by more than noise.
///
/// They do where the medians differ by more than a tolerance and the interquartile ranges do not overlap:
/// a machine's noise moves both, a change of the program moves one past the other.
package struct TimingComparison: Sendable, Equatable {
  /// Result of a comparison.
  package enum Verdict: String, Sendable {
    case faster, slower, same
  }

  /// Differences of medians up to this share are never told from noise.
  package static let defaultTolerance = 0.05

  /// The two measurements.
  package let old, new: TimingSummary.Quartiles
  /// Whether the new one is faster, slower, or the same within noise.
  package let verdict: Verdict

  /// Compares; `tolerance` is a share of the old median.
  package init(
    old: TimingSummary.Quartiles, new: TimingSummary.Quartiles, tolerance: Double = defaultTolerance
  ) {
    self.old = old
    self.new = new
    verdict =
      if new.median > old.median * (1 + tolerance), new.lower > old.upper {
        .slower
      } else if new.median < old.median * (1 - tolerance), new.upper < old.lower {
        .faster
      } else {
        .same
      }
  }

  /// New median over old median; nil where the old one is zero.
  package var ratio: Double? { old.median > 0 ? new.median / old.median : nil }
}
