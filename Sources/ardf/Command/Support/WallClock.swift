import FoundationEssentials

/// The time of day as programs exchange it.
enum WallClock {
  /// Now, in ISO 8601 with milliseconds, UTC: `2026-11-26T13:54:14.250Z`.
  static var now: String { text(Date()) }

  static func text(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true))
  }
}
