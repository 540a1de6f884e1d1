#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One thing timed in two programs, interleaved: each turn has a time of the new program between two of the
/// old one.
///
/// Other load of the machine affects all three times and cancels in their ratios. The difference between the
/// two times of the old program is the noise; it bounds the smallest change that can be detected.
package struct PairedTimes: Sendable, Equatable {
  /// The times of a turn, in milliseconds.
  package struct Turn: Sendable, Equatable {
    /// The old program's two, and the new one's.
    package let old, oldAgain, new: Double

    /// A turn.
    package init(old: Double, oldAgain: Double, new: Double) {
      (self.old, self.oldAgain, self.new) = (old, oldAgain, new)
    }
  }

  /// The timed work.
  package let name: String
  /// In the order in which they were taken.
  package let turns: [Turn]

  /// Times of at least one turn.
  package init(name: String, turns: [Turn]) {
    precondition(!turns.isEmpty, "no turn")
    self.name = name
    self.turns = turns
  }

  /// The median of the old program's times, and of the new one's.
  package var medians: (old: Double, new: Double) {
    (
      TimingSummary(turns.flatMap { [$0.old, $0.oldAgain] }).median, TimingSummary(turns.map(\.new)).median
    )
  }

  /// New over old: the median of the turns' ratios, in which the old time is the geometric mean of the two.
  package var ratio: Double {
    exp(TimingSummary(turns.map { log($0.new) - (log($0.old) + log($0.oldAgain)) / 2 }).median)
  }

  /// The standard deviation of a single time's logarithm, by the old program's pairs alone: the median of their absolute
  /// differences over that of a normal distribution, and over the root of 2, since both of a pair are off.
  var noise: Double {
    let differences = turns.map { abs(log($0.oldAgain) - log($0.old)) }
    return TimingSummary(differences).median / Self.normalMedian / 2.0.squareRoot()
  }

  /// Half of a normal distribution's absolute values are below this.
  private static let normalMedian = 0.6745
}

/// Two programs, row by row.
package struct PairedComparison: Sendable {
  /// Change of a row.
  package struct Row: Sendable {
    /// The times.
    package let times: PairedTimes
    /// A ratio above 1 plus this is slower, one below 1 minus it faster.
    package let bound: Double

    /// Whether the row differs by more than noise.
    package var verdict: TimingComparison.Verdict {
      times.ratio > 1 + bound ? .slower : times.ratio < 1 - bound ? .faster : .same
    }
  }

  /// Number of standard errors from which a change counts.
  ///
  /// Of a hundred rows without any, 0.3 % of the gates fail by normal noise.
  private static let errors = 4.0
  /// The standard error of the median of n normal numbers over that of their mean.
  private static let medianError = 1.2533

  /// In the order given.
  package let rows: [Row]

  /// Compares.
  ///
  /// - Parameters:
  ///   - rows: What was timed. A row's noise is taken to be no less than the median of all rows', since few turns may agree
  ///     by chance.
  ///   - tolerance: The least change that counts, as a share.
  package init(_ rows: [PairedTimes], tolerance: Double) {
    let ordinary = rows.isEmpty ? 0 : TimingSummary(rows.map(\.noise)).median
    self.rows = rows.map { row in
      // The new time's variance, and that of the mean of two old ones.
      let deviation = max(row.noise, ordinary) * 1.5.squareRoot()
      let error = Self.medianError * deviation / Double(row.turns.count).squareRoot()
      return Row(times: row, bound: max(tolerance, exp(Self.errors * error) - 1))
    }
  }
}
