import Geometry

/// How text is set.
public struct TextStyle: Sendable, Equatable {
  /// Em size in pixels: capitals are 0.7 of it high.
  public var size: Double
  /// Heavier strokes.
  public var bold: Bool
  /// Color, its alpha included.
  public var color: Color

  /// A text style; the size must be positive.
  public init(size: Double, bold: Bool = false, color: Color = .white) {
    precondition(size > 0 && size.isFinite, "text has a positive size")
    self.size = size
    self.bold = bold
    self.color = color
  }
}

/// The space a text takes up.
public struct TextMetrics: Sendable, Equatable {
  /// Width in pixels of the widest line, from pen position to pen position.
  public let width: Double
  /// Height in pixels of all lines.
  public let height: Double
  /// Height in pixels of one line.
  public let lineHeight: Double
  /// Pixels from the top of a line to its baseline.
  public let ascent: Double
  /// Width in pixels of each line.
  public let lineWidths: [Double]

  /// Measures text of one or more lines, separated by newlines, in the embedded typeface.
  public init(_ text: String, style: TextStyle) {
    let scale = style.size / StrokeFont.unitsPerEm
    lineWidths = Self.lines(of: text).map { line in
      line.reduce(0) { $0 + StrokeFont.shared.advance($1, bold: style.bold) } * scale
    }
    width = lineWidths.max() ?? 0
    lineHeight = StrokeFont.lineHeight * scale
    height = lineHeight * Double(lineWidths.count)
    ascent = StrokeFont.ascent * scale
  }

  static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Where each line of a text stands within the widest.
public enum TextAlignment: Sendable {
  /// Lines start together.
  case leading
  /// Lines are centered.
  case center
  /// Lines end together.
  case trailing
}

extension Canvas {
  /// Draws text, its lines separated by newlines, with the top-left corner of the first at `origin`.
  ///
  /// Printable ASCII; anything else shows as an empty box.
  public mutating func drawText(
    _ text: String, at origin: Point2<Frame>, style: TextStyle, alignment: TextAlignment = .leading
  ) {
    guard origin.isFinite else { return }
    let metrics = TextMetrics(text, style: style)
    for (index, line) in TextMetrics.lines(of: text).enumerated() {
      let slack = metrics.width - metrics.lineWidths[index]
      let indent =
        switch alignment {
        case .leading: 0.0
        case .center: slack / 2
        case .trailing: slack
        }
      let baseline = origin.y + Double(index) * metrics.lineHeight + metrics.ascent
      image.drawTextLine(line, from: (origin.x + indent, baseline), style: style)
    }
  }
}

extension RGBImage {
  mutating func drawTextLine(_ line: Substring, from start: (x: Double, y: Double), style: TextStyle) {
    let grid = GlyphGrid(size: style.size, bold: style.bold, baseline: start.y)
    var pen = start.x
    for character in line {
      // What follows lies to the right of the picture, however long a name from a file is.
      guard pen < Double(width) + style.size else { break }
      if let glyph = StrokeFont.shared.glyph(character) {
        let left = pen + (glyph.bearing + StrokeFont.thickness(bold: style.bold) / 2) * grid.scale
        let strokes = glyph.paths.map { path in
          var points = path.flattened().map { (x: left + $0.x * grid.scale, y: grid.row($0.y)) }
          if path.isClosed { points.append(points[0]) }
          return points
        }
        paint(style.color, around: strokes.joined(), margin: grid.thickness + 1) { mask in
          for points in strokes { mask.addPen(points, thickness: grid.thickness) }
        }
      }
      pen += StrokeFont.shared.advance(character, bold: style.bold) * grid.scale
    }
  }
}

/// Places font units on pixel rows so that the tops and bottoms of letters fall between rows: text
/// stays crisp at small sizes.
private struct GlyphGrid {
  let scale: Double
  let thickness: Double
  private let baseline: Double
  private let xHeight: Double
  private let capHeight: Double

  init(size: Double, bold: Bool, baseline: Double) {
    scale = size / StrokeFont.unitsPerEm
    thickness = max(1, StrokeFont.thickness(bold: bold) * scale)
    let half = thickness / 2
    // Center lines such that the pen's outer edge is at a whole row.
    self.baseline = baseline.rounded() - half
    xHeight = (10 * scale + thickness).rounded() - thickness
    capHeight = (14 * scale + thickness).rounded() - thickness
  }

  /// Pixels down from the top of the picture for a height in font units above the baseline.
  func row(_ height: Double) -> Double {
    let up =
      switch height {
      case ...0: height * scale
      case ...10: height / 10 * xHeight
      case ...14: xHeight + (height - 10) / 4 * (capHeight - xHeight)
      default: capHeight + (height - 14) * scale
      }
    return baseline - up
  }
}

extension CoverageMask {
  /// A dot is heavier than the pen, so that it reads as one.
  private static let dotScale = 1.25

  /// Adds a path of a round pen; a single point is a dot.
  fileprivate mutating func addPen(_ points: [(x: Double, y: Double)], thickness: Double) {
    if points.count == 1 {
      addDisc(center: points[0], radius: thickness / 2 * Self.dotScale)
    }
    for (from, to) in zip(points, points.dropFirst()) {
      addSegment(from, to, thickness: thickness, round: .both)
    }
  }
}
