import Geometry

/// Cuts polylines into the pieces that a dash pattern draws, where they can be seen.
///
/// Dashes outside the area are skipped by arithmetic, so that the work depends on the area's size and not on
/// the line's length; the pattern continues as if every dash had been visited.
struct Dashing {
  typealias Point = (x: Double, y: Double)

  /// Lengths drawn and left out in turn.
  let pattern: [Double]
  /// The visible area, enlarged by the pen's reach.
  let area: Rect<CanvasPixels>
  private let period: Double
  private var phase = 0
  /// The remaining length of the pattern's element at `phase`.
  private var left = 0.0
  private var piece: [Point] = []
  private var pieces: [[Point]] = []

  private init(pattern: [Double], area: Rect<CanvasPixels>) {
    self.pattern = pattern
    self.area = area
    period = pattern.reduce(0, +)
    left = pattern.first ?? 0
  }

  /// The drawn pieces, each a polyline; the pattern runs on around corners.
  ///
  /// Without a pattern, the line as it is.
  static func pieces(of points: [Point], pattern: [Double], within area: Rect<CanvasPixels>) -> [[Point]] {
    guard !pattern.isEmpty, points.count > 1 else { return [points] }
    var dashing = Dashing(pattern: pattern, area: area)
    dashing.piece = [points[0]]
    for (start, end) in zip(points, points.dropFirst()) {
      dashing.add(Segment(start, end))
    }
    dashing.finishPiece()
    return dashing.pieces
  }

  private mutating func add(_ segment: Segment) {
    guard segment.length.isFinite, let seen = segment.part(within: area) else {
      finishPiece()
      if segment.length.isFinite { pass(segment.length) }
      piece = [segment.end]
      return
    }
    if seen.lowerBound > 0 {
      finishPiece()
      pass(seen.lowerBound)
      piece = [segment.point(at: seen.lowerBound)]
    }
    let (from, length) = (seen.lowerBound, seen.upperBound - seen.lowerBound)
    // Measured from where the line comes into sight: far from its start, a dash is less than a number's last digit.
    let visible = Segment(segment.point(at: from), segment.point(at: seen.upperBound), length: length)
    var position = 0.0
    while length - position > left {
      position += left
      let point = visible.point(at: position)
      if phase.isMultiple(of: 2) { pieces.append(piece + [point]) }
      advancePhase()
      piece = [point]
    }
    left -= length - position
    if phase.isMultiple(of: 2) { piece.append(visible.end) } else { piece = [visible.end] }
    if seen.upperBound < segment.length {
      finishPiece()
      pass(segment.length - seen.upperBound)
      piece = [segment.end]
    }
  }

  private mutating func finishPiece() {
    if phase.isMultiple(of: 2), piece.count > 1 { pieces.append(piece) }
    piece = []
  }

  /// Moves the pattern on by a length of which nothing is drawn.
  private mutating func pass(_ length: Double) {
    var rest = length.truncatingRemainder(dividingBy: period)
    while rest > left {
      rest -= left
      advancePhase()
    }
    left -= rest
  }

  private mutating func advancePhase() {
    phase = (phase + 1) % pattern.count
    left = pattern[phase]
  }
}

/// A straight line between two points.
struct Segment {
  let start: (x: Double, y: Double)
  let end: (x: Double, y: Double)
  /// Infinite where it exceeds what a number can square.
  let length: Double

  init(_ start: (x: Double, y: Double), _ end: (x: Double, y: Double)) {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    self.init(start, end, length: (dx * dx + dy * dy).squareRoot())
  }

  /// A line whose length is known already.
  fileprivate init(_ start: (x: Double, y: Double), _ end: (x: Double, y: Double), length: Double) {
    self.start = start
    self.end = end
    self.length = length
  }

  /// The point so far from the start.
  func point(at position: Double) -> (x: Double, y: Double) {
    if position == 0 { return start }
    if position == length { return end }
    let share = position / length
    return (x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share)
  }

  /// From where to where along the line it lies in `area` (Liang and Barsky, 1984); nil where it does not.
  func part(within area: Rect<CanvasPixels>) -> ClosedRange<Double>? {
    var (first, last) = (0.0, 1.0)
    let axes = [
      (start.x, end.x - start.x, area.minX, area.maxX), (start.y, end.y - start.y, area.minY, area.maxY),
    ]
    for (from, step, low, high) in axes {
      guard step != 0 else {
        if from < low || from > high { return nil }
        continue
      }
      let (a, b) = ((low - from) / step, (high - from) / step)
      first = max(first, min(a, b))
      last = min(last, max(a, b))
    }
    guard first <= last else { return nil }
    return first * length...last * length
  }
}
