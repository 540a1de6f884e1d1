import Geometry
import Imaging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How the results picture looks.
///
/// Lengths are for a picture whose longer side is `referenceSide`; on others they grow and shrink with it,
/// within `scaleRange`.
public struct ResultsStyle: Sendable, Equatable {
  /// Exposure of what belongs to no object, in stops: light is multiplied by two to that power.
  public var backgroundExposure = -1.74
  /// Factor on the light of objects; 1 leaves them as they are.
  public var objectGain = 1.2
  /// Width of the boxes' lines.
  public var lineWidth = 4.0
  /// Height of the labels' text.
  public var fontSize = 28.0
  /// Space left and right of a label's text.
  public var labelPaddingX = 12.0
  /// Space above and below a label's text.
  public var labelPaddingY = 6.0
  /// Color of the label's background where the distance was measured.
  public var measuredColor = Color(red: 52, green: 199, blue: 89)
  /// Color of the label's background where the distance comes from fusion.
  public var fusedColor = Color(unitRed: 0.8, green: 0.6, blue: 0.1)
  /// Color of the label's background without a distance.
  public var unknownColor = Color(red: 99, green: 99, blue: 102)
  /// Opacity of the label's background.
  public var labelOpacity = 0.7
  /// Color of the label's text.
  public var textColor = Color.white
  /// Color of three-dimensional boxes.
  public var wireframeColor = Color.cyan.withAlpha(0.6)
  /// Width of their lines.
  public var wireframeWidth = 2.0
  /// Lengths drawn and left out along their lines.
  public var wireframeDash = [8.0, 6.0]
  /// The longer side that lengths are given for.
  public var referenceSide = 1920.0
  /// Bounds on how much lengths shrink and grow.
  public var scaleRange = 0.4...2.5

  /// The defaults.
  public init() {}

  package var backgroundGain: Double { pow(2, backgroundExposure) }

  /// The style with its lengths for a picture of that size.
  func scaled(to size: PixelSize) -> ResultsStyle {
    let factor = min(
      max(Double(max(size.width, size.height)) / referenceSide, scaleRange.lowerBound), scaleRange.upperBound)
    var style = self
    style.lineWidth = max(1, (lineWidth * factor).rounded())
    style.fontSize = (fontSize * factor).rounded()
    style.labelPaddingX = (labelPaddingX * factor).rounded()
    style.labelPaddingY = (labelPaddingY * factor).rounded()
    style.wireframeWidth = max(1, wireframeWidth * factor)
    style.wireframeDash = wireframeDash.map { $0 * factor }
    return style
  }
}
