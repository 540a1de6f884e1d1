import FileFormats

/// How many bad inputs a shard allows.
package struct ErrorBudget: Equatable, Sendable {
  package enum Limit: Equatable, Sendable {
    case count(Int)
    /// Percent of the frames that were processed.
    case percent(Double)
  }

  /// Frames before which no share is judged: the first of three may be bad.
  package static let fewest = 100

  /// The most bad inputs that may be allowed.
  package static let most = 1_000_000_000_000

  package let limit: Limit
  /// As it was given.
  package let description: String
  package private(set) var failed = 0
  package private(set) var seen = 0

  /// `12` or `2.5%`.
  package init?(_ text: String) {
    description = text
    if text.hasSuffix("%") {
      guard let share = Double(text.dropLast()), (0...100).contains(share) else { return nil }
      limit = .percent(share)
    } else {
      guard let count = integer(of: text, in: 0...Self.most) else { return nil }
      limit = .count(count)
    }
  }

  package mutating func add(isFailure: Bool) {
    seen += 1
    if isFailure { failed += 1 }
  }

  /// As it was given, and what a share of so many frames is: `1%, which is 0 of the 9 frames of this shard`.
  package var judgment: String {
    guard case .percent(let share) = limit else { return description }
    return
      "\(description), which is \(Int(clamping: share * Double(seen) / 100)) of the \(counted(seen, "frame")) of this shard"
  }

  /// Whether it is spent, whatever comes.
  package var isSpent: Bool {
    switch limit {
    case .count(let most): failed > most
    case .percent: seen >= Self.fewest && isExceeded
    }
  }

  /// Whether more were bad than it allows, now that nothing more comes.
  package var isExceeded: Bool {
    switch limit {
    case .count(let most): failed > most
    case .percent(let share): Double(failed) * 100 > share * Double(seen)
    }
  }
}
