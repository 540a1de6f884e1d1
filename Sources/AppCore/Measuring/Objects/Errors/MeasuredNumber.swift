import FileFormats

/// A measured number, and how far it may be from the truth.
public struct MeasuredNumber: Sendable, Equatable {
  /// The measured value.
  public let value: Double
  /// Standard deviation over repeated captures; nil where it is not known.
  public let error: Double?

  /// A number with its standard deviation, if that is known.
  public init(_ value: Double, error: Double?) {
    (self.value, self.error) = (value, error)
  }

  /// Half of the interval that holds the truth 95 times in 100; nil where the error is not known.
  public var reach: Double? { error.map { BoxErrors.deviations * $0 } }

  /// The interval that holds the truth 95 times in 100.
  public var interval: ClosedRange<Double>? {
    guard let reach, (value - reach).isFinite, (value + reach).isFinite else { return nil }
    return value - reach...value + reach
  }

  /// `2.09 ± .04`, or `2.09` where the error is not known: two decimals, the reach rounded up, so that no interval looks
  /// narrower than it is; `--` for what is not a number.
  public var words: String {
    guard let value = Self.twoDecimals(value) else { return "--" }
    return value + (reachWords.map { " ± \($0)" } ?? "")
  }

  /// `.04`, the reach of `words`.
  public var reachWords: String? {
    guard let reach, reach.isFinite, reach < 1e9 else { return nil }
    // What is a whole number of hundredths but for rounding is one.
    let hundredths = max(1, (100 * reach - 1e-6).rounded(.up))
    return Self.twoDecimals(hundredths / 100).map { $0.hasPrefix("0.") ? String($0.dropFirst()) : $0 }
  }

  /// A number with two decimals; nil where it is not finite, or too large to be shown so.
  static func twoDecimals(_ value: Double) -> String? {
    guard value.isFinite, abs(value) < 1e9 else { return nil }
    let hundredths = Int(clamping: (abs(value) * 100).rounded())
    let fraction = hundredths % 100
    return "\(value < 0 ? "-" : "")\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
