/// A named place of an object, such as a person's left elbow.
public struct Keypoint<Frame: PlanarFrame>: Hashable, Sendable {
  /// Where it is, whether it is seen or guessed.
  public let point: Point2<Frame>
  /// Confidence that the point exists and is visible, in [0, 1]; nil where the network gives none.
  public let confidence: Float?

  /// A place and how sure it is.
  public init(_ point: Point2<Frame>, confidence: Float? = nil) {
    self.point = point
    self.confidence = confidence
  }
}

extension Orientation {
  /// A key point of the upright picture, in coordinates of the stored one of size `stored`.
  public func stored(_ keypoint: Keypoint<UprightPixels>, stored size: PixelSize) -> Keypoint<ImagePixels> {
    Keypoint(stored(keypoint.point, stored: size), confidence: keypoint.confidence)
  }

  /// A key point of the stored picture of size `stored`, in coordinates of the upright one.
  public func upright(_ keypoint: Keypoint<ImagePixels>, stored size: PixelSize) -> Keypoint<UprightPixels> {
    Keypoint(upright(keypoint.point, stored: size), confidence: keypoint.confidence)
  }
}
