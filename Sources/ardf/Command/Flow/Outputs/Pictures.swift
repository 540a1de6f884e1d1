import AppCore
import FileFormats
import Geometry
import Imaging

/// The pictures that commands draw.
enum Pictures {
  /// Boxes, labels and tinted masks on the upright picture.
  static func annotated(
    _ image: RGBImage, orientation: Orientation, detections: [Detection]
  ) -> RGBImage {
    var canvas = Canvas(image, in: ImagePixels.self)
    for detection in detections {
      guard let mask = detection.mask else { continue }
      canvas.tint(
        mask.binary(),
        color: palette[(detection.track ?? detection.id) % palette.count].withAlpha(maskOpacity))
    }
    var style = ResultsStyle()
    (style.backgroundExposure, style.objectGain) = (0, 1)
    let items = detections.map { detection in
      ResultsItem(
        detection: detection,
        label: (detection.track.map { "#\($0) " } ?? "")
          + "\(detection.className) \(ObjectExtent.percent(detection.confidence))%", source: .sensor)
    }
    return ResultsCompositor(style: style).compose(canvas.image, orientation: orientation, items: items)
  }

  /// The likeliest classes in the corner of the upright picture.
  static func annotated(
    _ image: RGBImage, orientation: Orientation, classes: [ClassesFile.Entry]
  ) -> RGBImage {
    var canvas = Canvas(image.oriented(orientation), in: UprightPixels.self)
    let size = max(12, Double(max(image.width, image.height)) / 40)
    let style = TextStyle(size: size, bold: true)
    let text = classes.map { "\($0.className) \(decimal(Double($0.confidence), 2))" }.joined(separator: "\n")
    let metrics = TextMetrics(text, style: style)
    canvas.fillRect(
      Rect(x: 0, y: 0, width: metrics.width + size, height: metrics.height + size),
      color: Color.black.withAlpha(labelOpacity))
    canvas.drawText(text, at: Point2(size / 2, size / 2), style: style)
    return canvas.image
  }

  private static let labelOpacity = 0.6
  private static let maskOpacity = 0.4
  /// Colors that differ clearly from their neighbors in the list.
  private static let palette = [
    Color(red: 0, green: 122, blue: 255), Color(red: 255, green: 149, blue: 0),
    Color(red: 175, green: 82, blue: 222), Color(red: 255, green: 59, blue: 48),
    Color(red: 90, green: 200, blue: 250), Color(red: 255, green: 204, blue: 0),
  ]

  /// Relative depth in color, upright; near is red.
  static func relative(_ depth: RelativeDepth, orientation: Orientation) -> RGBImage {
    var (least, greatest) = (Float.infinity, -Float.infinity)
    for value in depth.values.elements where value.isFinite {
      (least, greatest) = (min(least, value), max(greatest, value))
    }
    let range = least <= greatest ? least...greatest : 0...0
    return ColorMap.spectral.paint(depth.values.oriented(orientation), range: range)
  }

  /// Metric depth as stored, `scale` units to a meter: 0 without depth, 65535 beyond that.
  static func depth(_ depth: MetricDepth, scale: Double) throws -> [UInt8] {
    try ImageCodec.encodePNG(depth.values.wholeNumbers(scale: Float(scale)))
  }
}
