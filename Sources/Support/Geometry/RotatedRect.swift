#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A rectangle turned about its middle.
public struct RotatedRect<Frame: PlanarFrame>: Hashable, Sendable {
  /// The middle.
  public let center: Point2<Frame>
  /// The side along the direction of `angle`.
  public let width: Double
  /// The other side.
  public let height: Double
  /// From the x axis towards y, radians: with y down a turn clockwise, as it is seen.
  public let angle: Double

  /// A rectangle from its parts.
  public init(center: Point2<Frame>, width: Double, height: Double, angle: Double) {
    self.center = center
    self.width = width
    self.height = height
    self.angle = angle
  }

  /// The corners in order around it: the end of both sides, then against `height`, back, and along it again.
  public var corners: [Point2<Frame>] {
    let (cosine, sine) = (cos(angle), sin(angle))
    let along = (x: width / 2 * cosine, y: width / 2 * sine)
    let across = (x: -height / 2 * sine, y: height / 2 * cosine)
    return [(1.0, 1.0), (1, -1), (-1, -1), (-1, 1)].map { signs in
      Point2(
        center.x + signs.0 * along.x + signs.1 * across.x, center.y + signs.0 * along.y + signs.1 * across.y)
    }
  }

  /// The least upright rectangle around it.
  public var bounds: Rect<Frame> {
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    return Rect(minX: xs.min() ?? 0, minY: ys.min() ?? 0, maxX: xs.max() ?? 0, maxY: ys.max() ?? 0)
  }

  /// Whether all numbers are finite.
  public var isFinite: Bool { [center.x, center.y, width, height, angle].allSatisfy(\.isFinite) }

  /// Whether a point lies inside or on the border.
  public func contains(_ point: Point2<Frame>) -> Bool {
    let (cosine, sine) = (cos(angle), sin(angle))
    let (x, y) = (point.x - center.x, point.y - center.y)
    return abs(x * cosine + y * sine) <= width / 2 && abs(y * cosine - x * sine) <= height / 2
  }

  /// The rectangle after a map that keeps lengths.
  func moved<Other>(by map: (Point2<Frame>) -> Point2<Other>) -> RotatedRect<Other> {
    let middle = map(center)
    let ahead = map(Point2(center.x + cos(angle), center.y + sin(angle)))
    return RotatedRect<Other>(
      center: middle, width: width, height: height,
      angle: atan2(ahead.y - middle.y, ahead.x - middle.x))
  }
}

extension Orientation {
  /// A rectangle of the upright picture, in coordinates of the stored one of size `stored`.
  public func stored(_ rect: RotatedRect<UprightPixels>, stored size: PixelSize) -> RotatedRect<ImagePixels> {
    self == .up
      ? RotatedRect(
        center: rect.center.relabeled(), width: rect.width, height: rect.height, angle: rect.angle)
      : rect.moved { stored($0, stored: size) }
  }

  /// A rectangle of the stored picture of size `stored`, in coordinates of the upright one.
  public func upright(
    _ rect: RotatedRect<ImagePixels>, stored size: PixelSize
  ) -> RotatedRect<UprightPixels> {
    self == .up
      ? RotatedRect(
        center: rect.center.relabeled(), width: rect.width, height: rect.height, angle: rect.angle)
      : rect.moved { upright($0, stored: size) }
  }
}
