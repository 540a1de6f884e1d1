import FileFormats

/// The best-scoring candidate in a picture without objects.
public struct SurestCandidate: Sendable, Equatable, CustomStringConvertible {
  /// Below this score a candidate is next to nothing.
  static let least: Float = 0.05

  /// Position among the network's classes.
  public let classIndex: Int
  /// The class.
  public let className: String
  /// Its score, 0 to 1.
  public let confidence: Float

  /// A candidate; nil where its score is next to nothing.
  public init?(classIndex: Int, className: String, confidence: Float) {
    guard confidence >= Self.least else { return nil }
    (self.classIndex, self.className, self.confidence) = (classIndex, className, confidence)
  }

  /// The greatest threshold of two decimals that its score exceeds.
  public var threshold: Double { Double(thresholdHundredths) / 100 }

  private var thresholdHundredths: Int { max(0, Int(clamping: (Double(confidence) * 100).rounded(.up)) - 1) }

  /// For people: `the surest is a cup of 0.31, which a threshold (--conf) of 0.30 shows`.
  public var description: String {
    let score = Self.text(hundredths: Int(clamping: (Double(confidence) * 100).rounded()))
    let threshold = Self.text(hundredths: thresholdHundredths)
    return "the surest is a \(className) of \(score), which a threshold (--conf) of \(threshold) shows"
  }

  /// Two decimals: 20 is 0.20.
  private static func text(hundredths: Int) -> String {
    "\(hundredths / 100).\(zeroPadded(hundredths % 100, 2))"
  }
}
