/// A layer with another that was joined to it, for whoever plans it to accept or not: rewrites say what is the same in
/// algebra, a plan what a kernel computes and what that costs.
struct Joint {
  /// The layer without the other, with it, and the other.
  var layer, joined, other: Node
  /// The shapes of all values.
  var shapes: [MapShape]

  /// Whether a rewrite is accepted.
  typealias Judge = (Joint) -> Bool
}
