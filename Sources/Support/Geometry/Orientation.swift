/// How a stored picture is turned upright: the eight EXIF orientations, named by where the stored picture's
/// top row belongs.
public enum Orientation: Int, CaseIterable, Hashable, Sendable {
  case up = 1
  case upMirrored = 2
  case down = 3
  case downMirrored = 4
  /// Transposed.
  case leftMirrored = 5
  /// Upright after a turn of 90 degrees clockwise: a phone held in portrait.
  case right = 6
  /// Transposed along the other diagonal.
  case rightMirrored = 7
  /// Upright after a turn of 90 degrees counter-clockwise.
  case left = 8

  /// The orientation of an EXIF code.
  ///
  /// - Throws: `GeometryError.badOrientation` outside 1...8.
  public init(exif code: Int) throws(GeometryError) {
    guard let orientation = Orientation(rawValue: code) else { throw .badOrientation(code) }
    self = orientation
  }

  /// Whether width and height change places.
  public var transposes: Bool { rawValue >= 5 }

  /// The orientation that turns the upright picture back into the stored one.
  public var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    case .up, .upMirrored, .down, .downMirrored, .leftMirrored, .rightMirrored: self
    }
  }

  /// The upright picture's size for a stored size, and as well the stored size for an upright one.
  public func apply(to size: PixelSize) -> PixelSize { transposes ? size.transposed : size }

  /// Where a point of the stored picture of size `stored` lies in the upright one.
  public func upright(_ p: Point2<ImagePixels>, stored: PixelSize) -> Point2<UprightPixels> {
    map(p, Double(stored.width), Double(stored.height)).relabeled()
  }

  /// Where a rectangle of the stored picture of size `stored` lies in the upright one.
  public func upright(_ rect: Rect<ImagePixels>, stored: PixelSize) -> Rect<UprightPixels> {
    map(rect, stored).relabeled()
  }

  /// Where a point of the upright picture lies in the stored one of size `stored`.
  public func stored(_ p: Point2<UprightPixels>, stored: PixelSize) -> Point2<ImagePixels> {
    let upright = apply(to: stored)
    return inverse.map(p, Double(upright.width), Double(upright.height)).relabeled()
  }

  /// Where a rectangle of the upright picture lies in the stored one of size `stored`.
  public func stored(_ rect: Rect<UprightPixels>, stored: PixelSize) -> Rect<ImagePixels> {
    inverse.map(rect, apply(to: stored)).relabeled()
  }

  /// The stored pixel that shows at upright pixel (x, y), both by integer index, for a picture stored
  /// at size `stored`.
  public func storedIndex(uprightX x: Int, _ y: Int, stored: PixelSize) -> (x: Int, y: Int) {
    let upright = apply(to: stored)
    let lastX = upright.width - 1
    let lastY = upright.height - 1
    return switch inverse {
    case .up: (x, y)
    case .upMirrored: (lastX - x, y)
    case .down: (lastX - x, lastY - y)
    case .downMirrored: (x, lastY - y)
    case .leftMirrored: (y, x)
    case .right: (lastY - y, x)
    case .rightMirrored: (lastY - y, lastX - x)
    case .left: (y, lastX - x)
    }
  }

  /// The map on edge coordinates of a picture of `width` x `height`.
  private func map<Frame>(_ p: Point2<Frame>, _ width: Double, _ height: Double) -> Point2<Frame> {
    switch self {
    case .up: p
    case .upMirrored: Point2(width - p.x, p.y)
    case .down: Point2(width - p.x, height - p.y)
    case .downMirrored: Point2(p.x, height - p.y)
    case .leftMirrored: Point2(p.y, p.x)
    case .right: Point2(height - p.y, p.x)
    case .rightMirrored: Point2(height - p.y, width - p.x)
    case .left: Point2(p.y, width - p.x)
    }
  }

  private func map<Frame>(_ rect: Rect<Frame>, _ size: PixelSize) -> Rect<Frame> {
    let width = Double(size.width)
    let height = Double(size.height)
    return Rect(
      map(Point2(rect.minX, rect.minY), width, height), map(Point2(rect.maxX, rect.maxY), width, height))
  }
}
