import Geometry
import Imaging

/// Overlay of one frame of the live view.
public struct LiveOverlay: Sendable {
  /// Effects, in any order.
  public var effects: [ShownEffect] = []
  /// Objects with their labels, boxes in the stored picture.
  public var objects: [LabeledBox] = []
  /// Boxes in the world, drawn as dashed wires.
  public var wireframes: [Box3D] = []
  /// Lines in the upper left corner.
  public var status: [String] = []

  /// Nothing.
  public init() {}
}

/// A labeled rectangle of the stored picture.
public struct LabeledBox: Sendable {
  /// The object's place.
  public let box: Rect<ImagePixels>
  /// One or more lines.
  public let label: String
  /// Where its distance comes from: chooses the color.
  public let source: ObjectDistance.Source

  /// A box from its parts.
  public init(box: Rect<ImagePixels>, label: String, source: ObjectDistance.Source) {
    self.box = box
    self.label = label
    self.source = source
  }
}

/// Draws the live view: the upright picture, effects in it, boxes and labels over it.
///
/// Effects are seen from the frame's own pose, with its camera's perspective, and are hidden by whatever its depth
/// shows before them. The same input gives the same bytes on any number of cores.
public struct LiveViewCompositor: Sendable {
  /// How boxes and labels look.
  public let style: ResultsStyle
  /// Rows of the picture that are drawn at a time, all bands side by side.
  private static let bandHeight = 160
  private static let tileSide = 32

  /// A compositor of that style.
  public init(style: ResultsStyle = ResultsStyle()) { self.style = style }

  /// The view; nil if the frame has no picture.
  public func compose(_ frame: CapturedFrame, _ overlay: LiveOverlay) async -> RGBImage? {
    guard let image = frame.image else { return nil }
    let size = frame.orientation.apply(to: frame.imageSize)
    let painters = frame.intrinsics.map { Self.painters(overlay.effects, frame, $0) } ?? []
    let orientation = frame.orientation
    let pixels = await Bands.drawn(height: size.height, bandHeight: Self.bandHeight) {
      Self.band($0, of: image, orientation, painters)
    }
    var canvas = Canvas(
      RGBImage(width: size.width, height: size.height, pixels: pixels), in: UprightPixels.self)
    draw(overlay, frame, on: &canvas)
    return canvas.image
  }

  // MARK: Effects

  /// Farthest first.
  private static func painters(
    _ effects: [ShownEffect], _ frame: CapturedFrame, _ intrinsics: Intrinsics
  ) -> [any EffectPainter] {
    let viewer = frame.cameraToWorld.origin
    let ordered = effects.enumerated().sorted {
      let (a, b) = ($0.element.effect.position, $1.element.effect.position)
      return (b.distance(to: viewer), $0.offset) < (a.distance(to: viewer), $1.offset)
    }
    return ordered.compactMap { painter($0.element, frame, intrinsics) }
  }

  private static func painter(
    _ shown: ShownEffect, _ frame: CapturedFrame, _ intrinsics: Intrinsics
  ) -> (any EffectPainter)? {
    let transform = shown.effect.transform(facing: frame.cameraToWorld.origin)
    switch shown.effect.type.form {
    case .points: return DotsPainter(shown.cloud, in: frame, intrinsics: intrinsics)
    case .cube:
      let scale = shown.effect.scale
      let sides = shown.box?.dimensions ?? BoxDimensions(x: scale, y: scale, z: scale)
      let half = SIMD3(Float(sides.x / 2), Float(sides.y / 2), Float(sides.z / 2))
      return SurfaceView(
        CubeSurface(half: half), at: transform, in: frame, intrinsics: intrinsics, own: shown.box,
        opacity: shown.opacity
      ).map(CubePainter.init)
    case .film:
      guard let picture = shown.picture else { return nil }
      let aspect = Double(picture.width) / Double(picture.height)
      let plane = Billboard.planeSize(scale: shown.effect.scale, aspect: aspect)
      let middle = Billboard.middleOffset(scale: shown.effect.scale, aspect: aspect, pivot: shown.pivot)
      let distance = max(0.1, shown.effect.position.distance(to: frame.cameraToWorld.origin))
      let pixelsPerTexel = intrinsics.fx / distance * plane.width / Double(picture.width)
      let surface = FilmSurface(
        texture: FilmTexture(picture).reduced(pixelsPerTexel: Float(pixelsPerTexel)),
        width: Float(plane.width), height: Float(plane.height), base: Float(middle - plane.height / 2))
      return SurfaceView(
        surface, at: transform, in: frame, intrinsics: intrinsics, own: shown.box, opacity: shown.opacity
      ).map(FilmPainter.init)
    }
  }

  /// Some rows of the upright picture with their effects.
  private static func band(
    _ rows: Range<Int>, of image: RGBImage, _ orientation: Orientation, _ painters: [any EffectPainter]
  ) -> [UInt8] {
    let stored = image.size
    let width = orientation.apply(to: stored).width
    func offset(_ x: Int, _ y: Int) -> Int {
      let index = orientation.storedIndex(uprightX: x, y, stored: stored)
      return (index.y * stored.width + index.x) * 3
    }
    let origin = offset(0, 0)
    let stepX = width > 1 ? offset(1, 0) - origin : 0
    let input = image.pixels.span
    var pixels = [UInt8](repeating: 0, count: rows.count * width * 3)
    do {
      var output = pixels.mutableSpan
      // Tiles keep the columns that a quarter turn reads in cache.
      for top in stride(from: rows.lowerBound, to: rows.upperBound, by: tileSide) {
        for left in stride(from: 0, to: width, by: tileSide) {
          for y in top..<min(top + tileSide, rows.upperBound) {
            var source = offset(left, y)
            var target = ((y - rows.lowerBound) * width + left) * 3
            for _ in left..<min(left + tileSide, width) {
              output[target] = input[source]
              output[target + 1] = input[source + 1]
              output[target + 2] = input[source + 2]
              source += stepX
              target += 3
            }
          }
        }
      }
      for painter in painters { painter.paint(&output, rows: rows, width: width) }
    }
    return pixels
  }

  // MARK: Boxes and labels

  private func draw(_ overlay: LiveOverlay, _ frame: CapturedFrame, on canvas: inout Canvas<UprightPixels>) {
    let stored = frame.imageSize
    let style = style.scaled(to: canvas.image.size)
    if let intrinsics = frame.intrinsics {
      let wire = StrokeStyle(
        color: style.wireframeColor, width: style.wireframeWidth, dash: style.wireframeDash)
      for box in overlay.wireframes {
        for (a, b) in box.projectedEdges(intrinsics: intrinsics, cameraToWorld: frame.cameraToWorld) {
          canvas.strokeLine(
            from: frame.orientation.upright(a, stored: stored),
            to: frame.orientation.upright(b, stored: stored),
            wire)
        }
      }
    }
    let picture = canvas.image.size.bounds(in: UprightPixels.self)
    let half = style.lineWidth / 2
    let shown = overlay.objects.compactMap { object -> (LabeledBox, Rect<UprightPixels>)? in
      let box = frame.orientation.upright(object.box, stored: stored)
      let inside = box.clipped(to: picture.grown(by: -half))
      return inside.width > 2 && inside.height > 2 ? (object, inside) : nil
    }
    let text = TextStyle(size: style.fontSize, bold: true, color: style.textColor)
    let labels = shown.map { object, box in
      let metrics = TextMetrics(object.label, style: text)
      return LabelLayout.Label(
        width: (metrics.width + 2 * style.labelPaddingX).rounded(.up),
        height: (metrics.height + 2 * style.labelPaddingY).rounded(.up), box: box)
    }
    for (object, box) in shown {
      canvas.strokeRect(box, StrokeStyle(color: style.color(of: object.source), width: style.lineWidth))
    }
    let panel = statusPanel(overlay.status, style, text)
    let places = LabelLayout(picture: picture, gap: half, halfLine: half).place(
      labels, off: panel.map { [$0] } ?? [])
    for ((object, _), rect) in zip(shown, places) {
      canvas.fillRect(rect, color: style.color(of: object.source).withAlpha(style.labelOpacity))
      canvas.drawText(
        object.label, at: Point2(rect.minX + style.labelPaddingX, rect.minY + style.labelPaddingY),
        style: text)
    }
    if let panel {
      canvas.fillRect(panel, color: Color.black.withAlpha(0.55), cornerRadius: style.labelPaddingY)
      canvas.drawText(
        overlay.status.joined(separator: "\n"),
        at: Point2(panel.minX + style.labelPaddingX, panel.minY + style.labelPaddingY), style: text)
    }
  }

  /// Where the figures stand; nil without any.
  private func statusPanel(
    _ lines: [String], _ style: ResultsStyle, _ text: TextStyle
  ) -> Rect<UprightPixels>? {
    guard !lines.isEmpty else { return nil }
    let metrics = TextMetrics(lines.joined(separator: "\n"), style: text)
    return Rect(
      x: style.labelPaddingX, y: style.labelPaddingX, width: metrics.width + 2 * style.labelPaddingX,
      height: metrics.height + 2 * style.labelPaddingY)
  }
}
