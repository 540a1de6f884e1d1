import Geometry

/// A detection's box that follows its object as the camera moves on, until the next detection corrects it.
///
/// The box keeps its place around the object's own point in the world and its size at that point's distance. The
/// camera's turns about its line of sight are left out.
public struct AnchoredBox: Sendable {
  /// The box where it was seen.
  public let box: Rect<ImagePixels>
  private let anchor: Point3<World>
  private let place: Point2<ImagePixels>
  private let depth: Double

  /// nil where the frame has no camera or the point is not before it.
  public init?(_ box: Rect<ImagePixels>, anchor: Point3<World>, in frame: CapturedFrame) {
    guard let (place, depth) = Self.sight(of: anchor, in: frame) else { return nil }
    self.box = box
    self.anchor = anchor
    self.place = place
    self.depth = depth
  }

  /// The box in another frame; nil where its object is behind the camera.
  public func box(in frame: CapturedFrame) -> Rect<ImagePixels>? {
    guard let (now, distance) = Self.sight(of: anchor, in: frame) else { return nil }
    let growth = depth / distance
    return Rect(
      minX: now.x + (box.minX - place.x) * growth, minY: now.y + (box.minY - place.y) * growth,
      maxX: now.x + (box.maxX - place.x) * growth, maxY: now.y + (box.maxY - place.y) * growth)
  }

  private static func sight(
    of point: Point3<World>, in frame: CapturedFrame
  ) -> (Point2<ImagePixels>, Double)? {
    let seen = frame.cameraToWorld.inverse.apply(point)
    guard let place = frame.intrinsics?.project(seen) else { return nil }
    return (place, -seen.z)
  }
}
