import Geometry

/// A picture being drawn on, in edge coordinates of `Frame`: pixel (x, y) covers [x, x+1) x [y, y+1).
///
/// Drawing is deterministic: the same calls give the same bytes. Colors are blended as encoded sRGB,
/// the way 2-D drawing systems do. Shapes are clipped at the picture's border before any work is
/// done; coordinates that are not finite, or so far apart that their distance is not, draw nothing.
public struct Canvas<Frame: PlanarFrame>: Sendable {
  /// The picture so far.
  public internal(set) var image: RGBImage

  /// Draws on top of a picture.
  public init(_ image: RGBImage, in frame: Frame.Type = Frame.self) {
    image.checkCount()
    self.image = image
  }

  // MARK: - Lines

  /// Draws a straight line.
  public mutating func strokeLine(from start: Point2<Frame>, to end: Point2<Frame>, _ style: StrokeStyle) {
    guard start.isFinite, end.isFinite, style.dashesAreApart else {
      return strokeLines([[start, end]], style)
    }
    let area = image.reach(of: style)
    // No pixel belongs to two dashes: each is painted by itself, so that a long slanting line needs no mask of
    // the whole rectangle around it.
    var solid = style
    solid.dash = []
    for dash in Dashing.pieces(of: [(start.x, start.y), (end.x, end.y)], pattern: style.dash, within: area) {
      strokeLines([dash.map { Point2($0.x, $0.y) }], solid)
    }
  }

  /// Draws a polyline through `points`, back to the first if `closed`.
  public mutating func strokePolyline(_ points: [Point2<Frame>], closed: Bool = false, _ style: StrokeStyle) {
    strokeLines([closed ? points + points.prefix(1) : points], style)
  }

  /// Draws several polylines as one shape: where they cross, a translucent color is laid on once.
  public mutating func strokeLines(_ lines: [[Point2<Frame>]], _ style: StrokeStyle) {
    let lines = lines.map { $0.map { (x: $0.x, y: $0.y) } }.filter { line in
      line.allSatisfy { $0.x.isFinite && $0.y.isFinite }
    }
    let area = image.reach(of: style)
    image.paint(style.color, around: lines.joined(), margin: style.width / 2 + 1) { mask in
      for line in lines {
        mask.addPolyline(line, style, within: area)
      }
      if !style.antialiased { mask.harden() }
    }
  }

  /// Draws the outline of a rectangle with square corners, the line centered on its sides.
  public mutating func strokeRect(_ rect: Rect<Frame>, _ style: StrokeStyle) {
    let corners = [
      Point2<Frame>(rect.minX, rect.minY), Point2(rect.maxX, rect.minY), Point2(rect.maxX, rect.maxY),
      Point2(rect.minX, rect.maxY),
    ]
    guard style.dash.isEmpty else {
      strokePolyline(corners, closed: true, style)
      return
    }
    guard rect.isFinite else { return }
    let sides = rect.relabeled(as: CanvasPixels.self)
    let half = style.width / 2
    let hasInside = rect.width > style.width && rect.height > style.width
    image.paint(style.color, outer: sides.grown(by: half), hole: hasInside ? sides.grown(by: -half) : nil)
  }

  /// Draws a circle's outline, the line centered on it.
  public mutating func strokeCircle(center: Point2<Frame>, radius: Double, _ style: StrokeStyle) {
    guard radius > 0, radius.isFinite, center.isFinite else { return }
    let count = Arc.segments(radius: radius, angle: 2 * .pi)
    strokePolyline(
      (0..<count).map { step in
        let angle = 2 * Double.pi * Double(step) / Double(count)
        return Point2(center.x + radius * cosine(angle), center.y + radius * sine(angle))
      }, closed: true, style)
  }

  // MARK: - Areas

  /// Fills a rectangle, blending partly covered edge pixels; corners are rounded if a radius is given.
  public mutating func fillRect(_ rect: Rect<Frame>, color: Color, cornerRadius: Double = 0) {
    guard rect.isFinite, !rect.isEmpty else { return }
    guard cornerRadius > 0 else {
      image.paint(color, outer: rect.relabeled())
      return
    }
    let corners = [
      (rect.minX, rect.minY), (rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY),
    ].map { RoundedPath.Vertex(x: $0.0, y: $0.1, radius: cornerRadius) }
    paintArea([RoundedPath(vertices: corners, isClosed: true).flattened()], color: color)
  }

  /// Fills a polygon without self-intersections; points in either direction.
  public mutating func fillPolygon(_ points: [Point2<Frame>], color: Color, antialiased: Bool = true) {
    guard points.allSatisfy(\.isFinite) else { return }
    paintArea([points.map { ($0.x, $0.y) }], color: color, antialiased: antialiased)
  }

  /// Fills a disc.
  public mutating func fillCircle(center: Point2<Frame>, radius: Double, color: Color) {
    guard radius > 0, radius.isFinite, center.isFinite else { return }
    image.paint(color, around: CollectionOfOne((x: center.x, y: center.y)), margin: radius + 1) { mask in
      mask.addDisc(center: (center.x, center.y), radius: radius)
    }
  }

  private mutating func paintArea(
    _ contours: [[(x: Double, y: Double)]], color: Color, antialiased: Bool = true
  ) {
    image.paint(color, around: contours.joined(), margin: 0) { mask in
      mask.addArea(contours)
      if !antialiased { mask.harden() }
    }
  }
}

extension CoverageMask {
  /// Adds a polyline, dashed within `area` if the style says so, with round corners.
  mutating func addPolyline(
    _ points: [(x: Double, y: Double)], _ style: StrokeStyle, within area: Rect<CanvasPixels>
  ) {
    for piece in Dashing.pieces(of: points, pattern: style.dash, within: area) where piece.count > 1 {
      let isClosed = piece.count > 2 && piece[0] == piece[piece.count - 1]
      for index in 1..<piece.count {
        var round: RoundEnds = .both
        if !style.roundCaps, !isClosed {
          if index == 1 { round.remove(.start) }
          if index == piece.count - 1 { round.remove(.end) }
        }
        addSegment(piece[index - 1], piece[index], thickness: style.width, round: round)
      }
    }
  }
}

extension RGBImage {
  /// Where a pen's middle can be and leave something on the picture, its square ends included.
  func reach(of style: StrokeStyle) -> Rect<CanvasPixels> {
    Rect(minX: 0, minY: 0, maxX: Double(width), maxY: Double(height)).grown(by: style.width + 2)
  }

  /// Collects a shape that stays within `margin` of `points`, and paints it.
  mutating func paint(
    _ color: Color, around points: some Sequence<(x: Double, y: Double)>, margin: Double,
    collect: (inout CoverageMask) -> Void
  ) {
    var bounds = (
      minX: Double.infinity, minY: Double.infinity, maxX: -Double.infinity, maxY: -Double.infinity
    )
    for point in points {
      bounds.minX = min(bounds.minX, point.x - margin)
      bounds.minY = min(bounds.minY, point.y - margin)
      bounds.maxX = max(bounds.maxX, point.x + margin)
      bounds.maxY = max(bounds.maxY, point.y + margin)
    }
    guard color.alpha > 0, var mask = CoverageMask(bounds: bounds, canvas: (width, height)) else { return }
    collect(&mask)
    paint(color, through: mask)
  }

  /// Blends a color in by coverage, rounding to the nearest level.
  mutating func paint(_ color: Color, through mask: CoverageMask) {
    let opacity = Float(color.alpha)
    for row in 0..<mask.height {
      let start = (row + mask.minY) * width + mask.minX
      for column in mask.touched[row] {
        let alpha = Int(mask.coverage[row * mask.width + column] * opacity + 0.5)
        blendPixel(at: start + column, color, alpha)
      }
    }
  }

  /// `alpha` in 0...255 of `color`, the rest of what was there.
  @inline(__always)
  static func blend(_ color: Int, over background: UInt8, _ alpha: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (color * alpha + Int(background) * (255 - alpha) + 127) / 255)
  }
}
