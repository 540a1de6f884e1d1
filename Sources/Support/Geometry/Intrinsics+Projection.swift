// One of the two files that negate an axis: pictures count y downwards, cameras measure it upwards, and the
// camera looks along -z while depth is positive. The other one is Rect+NormalizedBottomLeft.swift.

extension Intrinsics {
  /// Points nearer to the camera plane than this many meters have no projection.
  public static let nearestProjectableDepth = 0.01

  /// The point seen at `pixel` with planar depth `depth` (meters along the viewing direction).
  @inlinable
  public func unproject(_ pixel: Point2<ImagePixels>, depth: Double) -> Point3<CameraARKit> {
    let u = pixel.x - 0.5
    let v = pixel.y - 0.5
    return Point3((u - cx) * depth / fx, -((v - cy) * depth / fy), -depth)
  }

  /// Where a point is seen; nil if it is behind the camera or nearer than `nearestProjectableDepth`.
  @inlinable
  public func project(_ point: Point3<CameraARKit>) -> Point2<ImagePixels>? {
    let depth = -point.z
    guard depth >= Self.nearestProjectableDepth else { return nil }
    return Point2(cx + fx * point.x / depth + 0.5, cy - fy * point.y / depth + 0.5)
  }
}
