/// How lines are drawn.
public struct StrokeStyle: Sendable, Equatable {
  /// Colour, its alpha included.
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

/// Cuts a polyline into the pieces that a dash pattern draws.
enum Dashing {
  typealias Point = (x: Double, y: Double)

  /// The drawn pieces, each a polyline; the pattern runs on around corners.
  static func pieces(of points: [Point], pattern: [Double]) -> [[Point]] {
    guard !pattern.isEmpty, points.count > 1 else { return [points] }
    var pieces = [[Point]]()
    var piece = [points[0]]
    var phase = 0
    var left = pattern[0]
    for (start, end) in zip(points, points.dropFirst()) {
      let (dx, dy) = (end.x - start.x, end.y - start.y)
      let length = (dx * dx + dy * dy).squareRoot()
      var position = 0.0
      while length - position > left {
        position += left
        let share = position / length
        let point = (x: start.x + dx * share, y: start.y + dy * share)
        if phase.isMultiple(of: 2) { pieces.append(piece + [point]) }
        phase = (phase + 1) % pattern.count
        left = pattern[phase]
        piece = [point]
      }
      left -= length - position
      if phase.isMultiple(of: 2) { piece.append(end) } else { piece = [end] }
    }
    if phase.isMultiple(of: 2), piece.count > 1 { pieces.append(piece) }
    return pieces
  }
}
