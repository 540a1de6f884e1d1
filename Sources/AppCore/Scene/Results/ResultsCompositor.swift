import FileFormats
import Geometry
import Imaging

/// Makes the results picture: upright, objects bright before a darkened background, boxes, labels, wireframes.
public struct ResultsCompositor: Sendable {
  /// How the picture looks.
  public let style: ResultsStyle

  private let tones: ToneTable
  private let keepsTones: Bool
  private static let tileSide = 64

  /// A compositor of that style.
  public init(style: ResultsStyle = ResultsStyle()) {
    self.style = style
    tones = ToneTable(backgroundGain: style.backgroundGain, objectGain: style.objectGain)
    keepsTones = tones.changesNothing
  }

  /// The results picture.
  ///
  /// - Parameters:
  ///   - image: The stored picture, which the items' boxes and masks speak of.
  ///   - orientation: How it is turned upright.
  ///   - items: Earlier ones choose the places of their labels first.
  ///   - intrinsics: Camera of the stored picture; without it no wireframe is drawn.
  ///   - cameraToWorld: Its pose.
  /// - Returns: The upright picture with boxes, masks, labels and wireframes.
  public func compose(
    _ image: RGBImage, orientation: Orientation, items: [ResultsItem], intrinsics: Intrinsics? = nil,
    cameraToWorld: RigidTransform<CameraARKit, World> = .identity
  ) -> RGBImage {
    let stored = image.size
    let style = style.scaled(to: orientation.apply(to: stored))
    let toned =
      keepsTones
      ? image.oriented(orientation) : turnedAndToned(image, orientation: orientation, items: items)
    var canvas = Canvas(toned, in: UprightPixels.self)
    let boxes = items.map { item in
      drawBox(orientation.upright(item.detection.box, stored: stored), item, style, on: &canvas) {
        orientation.upright($0, stored: stored)
      }
    }
    for item in items where !item.detection.keypoints.isEmpty {
      let joints = item.detection.keypoints.map { orientation.upright($0, stored: stored) }
      SkeletonDrawing(joints, lineWidth: style.lineWidth).draw(on: &canvas)
    }
    if let intrinsics {
      let stroke = StrokeStyle(
        color: style.wireframeColor, width: style.wireframeWidth, dash: style.wireframeDash)
      for box in items.compactMap(\.wireframe) {
        let edges = box.projectedEdges(
          intrinsics: intrinsics.scaled(to: stored), cameraToWorld: cameraToWorld)
        for (start, end) in edges {
          canvas.strokeLine(
            from: orientation.upright(start, stored: stored), to: orientation.upright(end, stored: stored),
            stroke)
        }
      }
    }
    drawLabels(items, boxes: boxes, style, on: &canvas)
    return canvas.image
  }

  /// The frame's results picture; nil if the frame has no picture.
  public func compose(_ frame: CapturedFrame, items: [ResultsItem]) -> RGBImage? {
    frame.image.map {
      compose(
        $0, orientation: frame.orientation, items: items, intrinsics: frame.intrinsics,
        cameraToWorld: frame.cameraToWorld)
    }
  }

  /// The picture turned upright, objects brightened and the rest darkened, in one pass.
  func turnedAndToned(_ image: RGBImage, orientation: Orientation, items: [ResultsItem]) -> RGBImage {
    let stored = image.size
    let upright = orientation.apply(to: stored)
    var alpha = AlphaPlane(size: upright)
    for item in items { alpha.merge(item.detection, stored: stored, orientation: orientation) }
    // The turn's index map is affine: an origin and a step along each axis.
    let origin = image.byteOffset(orientation.storedIndex(uprightX: 0, 0, stored: stored))
    let stepX = image.byteOffset(orientation.storedIndex(uprightX: 1, 0, stored: stored)) - origin
    let stepY = image.byteOffset(orientation.storedIndex(uprightX: 0, 1, stored: stored)) - origin
    let merged = alpha
    let pixels: [UInt8] = Parallel.rows(
      upright.height, width: 3 * upright.width, threads: Parallel.teamThreads
    ) { rows, output in
      let input = image.pixels.span
      let alphas = merged.alphas.span
      let entries = tones.entries.span
      // Tiles keep the columns that a quarter turn reads in cache.
      for top in stride(from: rows.lowerBound, to: rows.upperBound, by: Self.tileSide) {
        for left in stride(from: 0, to: upright.width, by: Self.tileSide) {
          for y in top..<min(top + Self.tileSide, rows.upperBound) {
            var source = origin + y * stepY + left * stepX
            var index = y * upright.width + left
            var target = 3 * ((y - rows.lowerBound) * upright.width + left)
            for _ in left..<min(left + Self.tileSide, upright.width) {
              let row = Int(alphas[index]) << 8
              output[target] = entries[row | Int(input[source])]
              output[target + 1] = entries[row | Int(input[source + 1])]
              output[target + 2] = entries[row | Int(input[source + 2])]
              source += stepX
              index += 1
              target += 3
            }
          }
        }
      }
    }
    return RGBImage(width: upright.width, height: upright.height, pixels: pixels)
  }

  /// Draws a box's outline, of an upright one wholly inside the picture; returns the rectangle of the line's middle.
  private func drawBox(
    _ box: Rect<UprightPixels>, _ item: ResultsItem, _ style: ResultsStyle,
    on canvas: inout Canvas<UprightPixels>,
    upright: (RotatedRect<ImagePixels>) -> RotatedRect<UprightPixels>
  ) -> Rect<UprightPixels> {
    let half = style.lineWidth / 2
    let picture = canvas.image.size.bounds(in: UprightPixels.self)
    // Whole pixels keep the line crisp.
    let rounded = Rect<UprightPixels>(
      minX: box.minX.rounded(), minY: box.minY.rounded(), maxX: box.maxX.rounded(), maxY: box.maxY.rounded())
    let middle = rounded.clipped(to: picture.grown(by: -half))
    let outer = middle.grown(by: half)
    let inner = middle.grown(by: -half)
    let color = style.color(of: item)
    if let oriented = item.detection.orientedBox {
      canvas.strokePolyline(
        upright(oriented).corners, closed: true, StrokeStyle(color: color, width: style.lineWidth))
      return middle
    }
    for side in [
      Rect<UprightPixels>(minX: outer.minX, minY: outer.minY, maxX: outer.maxX, maxY: inner.minY),
      Rect(minX: outer.minX, minY: inner.maxY, maxX: outer.maxX, maxY: outer.maxY),
      Rect(minX: outer.minX, minY: inner.minY, maxX: inner.minX, maxY: inner.maxY),
      Rect(minX: inner.maxX, minY: inner.minY, maxX: outer.maxX, maxY: inner.maxY),
    ] {
      canvas.fillRect(side, color: color)
    }
    return middle
  }

  private func drawLabels(
    _ items: [ResultsItem], boxes: [Rect<UprightPixels>], _ style: ResultsStyle,
    on canvas: inout Canvas<UprightPixels>
  ) {
    let text = TextStyle(size: style.fontSize, bold: true, color: style.textColor)
    let labels = zip(items, boxes).map { item, box in
      let metrics = TextMetrics(item.label, style: text)
      return LabelLayout.Label(
        width: (metrics.width + 2 * style.labelPaddingX).rounded(.up),
        height: (metrics.height + 2 * style.labelPaddingY).rounded(.up), box: box)
    }
    let layout = LabelLayout(
      picture: canvas.image.size.bounds(), gap: style.lineWidth / 2, halfLine: style.lineWidth / 2)
    for (item, rect) in zip(items, layout.place(labels)) {
      canvas.fillRect(rect, color: style.color(of: item).withAlpha(style.labelOpacity))
      canvas.drawText(
        item.label, at: Point2(rect.minX + style.labelPaddingX, rect.minY + style.labelPaddingY), style: text)
    }
  }
}

extension RGBImage {
  /// Where a pixel's bytes start.
  fileprivate func byteOffset(_ index: (x: Int, y: Int)) -> Int { (index.y * width + index.x) * 3 }
}
