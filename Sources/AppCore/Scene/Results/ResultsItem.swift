import Geometry
import Imaging

/// One object of the results picture.
public struct ResultsItem: Sendable {
  /// Box and mask, in the stored picture.
  public let detection: Detection
  /// The label's text, one or more lines.
  public let label: String
  /// Where the distance comes from.
  public let source: ObjectDistance.Source
  /// The three-dimensional box to be drawn; nil for none.
  public let wireframe: Box3D?

  /// An item from its parts.
  public init(detection: Detection, label: String, source: ObjectDistance.Source, wireframe: Box3D? = nil) {
    self.detection = detection
    self.label = label
    self.source = source
    self.wireframe = wireframe
  }

  /// Ratios of least to greatest depth above this leave nothing to see of a box made from six points.
  static let flattestDepthRatio = 0.95

  /// An item of a distance and a box; the box is drawn only where it shows measured shape.
  public init(detection: Detection, label: String, distance: ObjectDistance, box: Box3D?) {
    self.init(
      detection: detection, label: label, source: distance.source,
      wireframe: Self.isWorthDrawing(box, source: distance.source, range: distance.range) ? box : nil)
  }

  /// An item of a measured extent.
  public init(detection: Detection, extent: ObjectExtent) {
    self.init(detection: detection, label: extent.label, distance: extent.distance, box: extent.box3D)
  }

  /// Whether a box shows measured shape: put around sensor points, or made from depths that differ.
  static func isWorthDrawing(
    _ box: Box3D?, source: ObjectDistance.Source, range: ClosedRange<Double>?
  ) -> Bool {
    guard let box, source == .sensor else { return false }
    guard box.method == .sixPoint else { return true }
    guard let range else { return false }
    return range.lowerBound / range.upperBound <= flattestDepthRatio
  }
}

extension ResultsStyle {
  /// The color of an item's box and label.
  package func color(of item: ResultsItem) -> Color { color(of: item.source) }

  /// The color of boxes and labels whose distance has that source.
  func color(of source: ObjectDistance.Source) -> Color {
    switch source {
    case .sensor: measuredColor
    case .fusion, .network: fusedColor
    case .none: unknownColor
    }
  }
}
