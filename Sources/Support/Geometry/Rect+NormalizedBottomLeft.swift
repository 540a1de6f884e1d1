// One of the two files that negate an axis: normalized rectangles count y upwards from the bottom edge,
// pixels downwards from the top edge. The other one is Intrinsics+Projection.swift.

extension Rect where Frame == NormalizedBottomLeft {
  /// The rectangle in pixels of a picture: yTop = 1 - (y + h), then scaled by the sides.
  public func pixels<Target: PlanarFrame>(
    of size: PixelSize, in frame: Target.Type = Target.self
  ) -> Rect<Target> {
    let width = Double(size.width)
    let height = Double(size.height)
    return Rect<Target>(
      minX: minX * width, minY: (1 - maxY) * height, maxX: maxX * width, maxY: (1 - minY) * height)
  }

  /// The normalized rectangle of a rectangle in pixels of a picture of `size`.
  public init<Source: PlanarFrame>(_ rect: Rect<Source>, of size: PixelSize) {
    let width = Double(size.width)
    let height = Double(size.height)
    self.init(
      minX: rect.minX / width, minY: 1 - rect.maxY / height, maxX: rect.maxX / width,
      maxY: 1 - rect.minY / height)
  }
}

extension Point2 where Frame == NormalizedBottomLeft {
  /// The point in pixels of a picture.
  public func pixels<Target: PlanarFrame>(
    of size: PixelSize, in frame: Target.Type = Target.self
  ) -> Point2<Target> {
    Point2<Target>(x * Double(size.width), (1 - y) * Double(size.height))
  }

  /// The normalized point of a point in pixels of a picture of `size`.
  public init<Source: PlanarFrame>(_ point: Point2<Source>, of size: PixelSize) {
    self.init(point.x / Double(size.width), 1 - point.y / Double(size.height))
  }
}
