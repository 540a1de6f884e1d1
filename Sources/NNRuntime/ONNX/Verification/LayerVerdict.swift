/// Criterion of equality.
///
/// A layer that is fed what the definition makes has to be within the tolerance. What has gone through many layers may be
/// further off where the definition is as far from itself: where an error of the size that single layers make, which no
/// arithmetic is free of, is enlarged by what follows, turns a rounding over, or changes a choice among near ties.
package enum LayerVerdict: Sendable {
  /// Multiple of the definition's own sensitivity up to which a layer's difference is accepted.
  package static let mostOfSensitivity: Float = 2
  /// The largest difference of tensors of half precision.
  package static let toleranceOfHalves: Float = 1e-2

  /// Within the tolerance.
  case equal
  /// No further off than the definition is from itself.
  case sensitive
  case differs

  /// - `isolated`: the difference from what the definition makes of the same, where it was measured.
  package init(_ cumulative: Float, isolated: Float?, sensitivity: Float, tolerance: Float) {
    if let isolated, !(isolated <= tolerance) {
      self = .differs
    } else if cumulative <= tolerance {
      self = .equal
    } else {
      self = cumulative <= Self.mostOfSensitivity * sensitivity ? .sensitive : .differs
    }
  }
}
