import Geometry

/// A key point of an object, such as a person's joint, in the world.
public struct PlacedKeypoint: Sendable, Equatable {
  /// Where it is; nil where it is not seen, has no depth, or shows another surface.
  public let position: Point3<World>?
  /// Planar depth, meters.
  public let meters: Double?
  /// Where the depth comes from.
  public let source: ObjectDistance.Source
  /// How sure the detector is of it; nil where it does not say.
  public let confidence: Float?
}

extension DepthScene {
  /// Less sure key points are guesses at what is hidden.
  static let surestHidden: Float = 0.5
  /// No joint of a person is farther from the person's middle: at such depth another surface shows.
  static let farthestJoint = 1.0

  /// Key points of an object at planar depth `distance` at the depth that each shows: on the surface that is seen, the
  /// completed readings' where they have one, else fused, else a metric network's.
  func placed(_ keypoints: [Keypoint<ImagePixels>], near distance: Double) -> [PlacedKeypoint] {
    keypoints.map { keypoint in
      let isSeen = keypoint.confidence.map { $0 >= Self.surestHidden } ?? true
      let found = isSeen ? depth(at: keypoint.point) : nil
      guard let found, abs(found.meters - distance) <= Self.farthestJoint else {
        return PlacedKeypoint(position: nil, meters: nil, source: .none, confidence: keypoint.confidence)
      }
      return PlacedKeypoint(
        position: world(keypoint.point, meters: found.meters), meters: found.meters, source: found.source,
        confidence: keypoint.confidence)
    }
  }

  private func depth(
    at point: Point2<ImagePixels>
  ) -> (meters: Double, source: ObjectDistance.Source)? {
    if let meters = completed?.meters(at: point, imageSize: imageSize) { return (meters, .sensor) }
    if let meters = fused?.meters(at: point, imageSize: imageSize) { return (meters, .fusion) }
    return estimated?.meters(at: point, imageSize: imageSize).map { ($0, .network) }
  }
}
