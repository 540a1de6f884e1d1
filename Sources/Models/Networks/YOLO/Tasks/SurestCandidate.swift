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
  public var threshold: Double {
    let hundredths = (Double(confidence) * 100).rounded(.up) - 1
    return max(0, hundredths) / 100
  }

  /// For people: `the surest is a cup of 0.31, which a threshold of 0.3 shows`.
  public var description: String {
    let rounded = (Double(confidence) * 100).rounded() / 100
    return "the surest is a \(className) of \(rounded), which a threshold (--conf) of \(threshold) shows"
  }
}
