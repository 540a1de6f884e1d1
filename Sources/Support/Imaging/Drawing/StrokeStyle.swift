/// How lines are drawn.
public struct StrokeStyle: Sendable, Equatable {
  /// Color, its alpha included.
  public var color: Color
  /// Width in pixels.
  public var width: Double
  /// Lengths in pixels drawn and left out in turn; empty for a solid line.
  public var dash: [Double]
  /// Whether line ends are half discs instead of cut square; corners are always rounded.
  public var roundCaps: Bool
  /// Whether edge pixels are blended by coverage; otherwise each pixel is drawn or not.
  public var antialiased: Bool

  /// A line style; dash lengths must be positive, in pairs.
  public init(
    color: Color, width: Double, dash: [Double] = [], roundCaps: Bool = false, antialiased: Bool = true
  ) {
    precondition(width > 0 && dash.count.isMultiple(of: 2) && dash.allSatisfy { $0 > 0 })
    self.color = color
    self.width = width
    self.dash = dash
    self.roundCaps = roundCaps
    self.antialiased = antialiased
  }

  /// Whether the dashes of a straight line are so far apart that no pixel is touched by two.
  var dashesAreApart: Bool {
    let gaps = stride(from: 1, to: dash.count, by: 2).map { dash[$0] }
    return !gaps.isEmpty && gaps.allSatisfy { $0 >= 2 + (roundCaps ? width : 0) }
  }
}
