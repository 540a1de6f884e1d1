import Geometry

/// An anchor with a class that passed the confidence threshold.
package struct Candidate: Sendable, Equatable {
  /// Index among all anchors: P3, P4, P5, row-major within a level.
  package let anchor: Int
  /// Index of the class: the best one, unless every class counts.
  package let classIndex: Int
  /// Sigmoid of the class logit.
  package let score: Float
  /// In the network input, padding included.
  ///
  /// The edges are single-precision values.
  package let box: Rect<NetworkPixels>

  /// A candidate from its parts.
  package init(anchor: Int, classIndex: Int, score: Float, box: Rect<NetworkPixels>) {
    self.anchor = anchor
    self.classIndex = classIndex
    self.score = score
    self.box = box
  }
}
