import Geometry

/// A wish for an effect on an object of one frame.
package struct EffectRequest: Sendable {
  /// Which object is meant.
  package enum Target: Sendable {
    /// The object of an id.
    case object(Int)
    /// The surest of a class.
    case className(String)
    /// The object at a point of the stored picture.
    case point(Point2<ImagePixels>)
  }

  /// Which object is meant.
  package let target: Target
  /// The effect to place on it.
  package let type: EffectType
  /// As it was given, for messages.
  package let text: String

  /// A wish from its parts.
  package init(_ type: EffectType, on target: Target, text: String) {
    self.target = target
    self.type = type
    self.text = text
  }
}
