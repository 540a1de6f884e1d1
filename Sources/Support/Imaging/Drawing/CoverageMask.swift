/// How much of each pixel a shape covers, over the part of the canvas that the shape may touch.
///
/// A shape is first collected here and then painted once, so that its overlapping parts (joints,
/// crossing strokes) do not add up where the color is translucent.
struct CoverageMask {
  let minX: Int
  let minY: Int
  let width: Int
  let height: Int
  private(set) var coverage: [Float]
  /// Columns touched so far, per row.
  private(set) var touched: [Range<Int>]

  /// Room for a shape within the given bounds, clipped to the canvas; nil if they do not meet.
  init?(bounds: (minX: Double, minY: Double, maxX: Double, maxY: Double), canvas: (width: Int, height: Int)) {
    // Also refuses bounds that are not numbers.
    guard bounds.minX < Double(canvas.width), bounds.maxX > 0, bounds.minX <= bounds.maxX,
      bounds.minY < Double(canvas.height), bounds.maxY > 0, bounds.minY <= bounds.maxY
    else { return nil }
    minX = Int(max(0, bounds.minX.rounded(.down)))
    minY = Int(max(0, bounds.minY.rounded(.down)))
    width = Int(min(Double(canvas.width), bounds.maxX.rounded(.up))) - minX
    height = Int(min(Double(canvas.height), bounds.maxY.rounded(.up))) - minY
    coverage = [Float](repeating: 0, count: width * height)
    touched = [Range<Int>](repeating: 0..<0, count: height)
  }

  // MARK: - Strokes

  /// Which ends of a segment are finished with a half disc rather than cut square.
  struct RoundEnds: OptionSet {
    let rawValue: Int
    static let start = RoundEnds(rawValue: 1)
    static let end = RoundEnds(rawValue: 2)
    static let both: RoundEnds = [.start, .end]
  }

  /// Adds a segment of a pen `thickness` wide: coverage falls off linearly over one pixel at the edge.
  mutating func addSegment(
    _ a: (x: Double, y: Double), _ b: (x: Double, y: Double), thickness: Double, round: RoundEnds
  ) {
    let radius = thickness / 2
    let reach = radius + 1
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let length = (dx * dx + dy * dy).squareRoot()
    // Longer than a number can square: it has no direction that a pixel could be measured by.
    guard length.isFinite else { return }
    // A point has no direction: any will do.
    let (ux, uy) = length > 0 ? (dx / length, dy / length) : (1, 0)
    let most = Float(min(1, thickness))

    let rows = range(min(a.y, b.y) - reach, max(a.y, b.y) + reach, from: minY, count: height)
    for row in rows {
      let py = Double(row + minY) + 0.5 - a.y
      var (left, right) = (min(a.x, b.x) - reach, max(a.x, b.x) + reach)
      if abs(uy) > 1e-9 {
        // The row meets the line at `crossing`, and leaves its neighborhood `span` to either side.
        let crossing = a.x + py * ux / uy
        let span = reach / abs(uy)
        left = max(left, crossing - span)
        right = min(right, crossing + span)
      }
      let columns = range(left, right, from: minX, count: width)
      for column in columns {
        let px = Double(column + minX) + 0.5 - a.x
        let along = px * ux + py * uy
        let across = abs(py * ux - px * uy)
        var ends = 1.0
        var distance = across
        if along < 0 {
          if round.contains(.start) { distance = (px * px + py * py).squareRoot() }
        } else if along > length, round.contains(.end) {
          distance = (across * across + (along - length) * (along - length)).squareRoot()
        }
        if !round.contains(.start) { ends = min(ends, along + 0.5) }
        if !round.contains(.end) { ends = min(ends, length - along + 0.5) }
        let value = min(most, Float(min(1, radius + 0.5 - distance) * min(1, ends)))
        let index = row * width + column
        if ends > 0, value > coverage[index] { coverage[index] = value }
      }
      touch(row, columns)
    }
  }

  // MARK: - Areas

  /// Adds the inside of closed contours, exact in area; a hole is a contour of the other direction.
  mutating func addArea(_ contours: [[(x: Double, y: Double)]]) {
    // Signed area that each edge leaves to its right, per cell; summing along a row gives coverage.
    var deltas = [Double](repeating: 0, count: (width + 2) * height)
    for contour in contours where contour.count > 2 {
      var previous = contour[contour.count - 1]
      for point in contour {
        accumulate(from: previous, to: point, into: &deltas)
        previous = point
      }
    }
    for row in 0..<height {
      var sum = 0.0
      for column in 0..<width {
        sum += deltas[row * (width + 2) + column]
        let value = Float(min(1, abs(sum)))
        let index = row * width + column
        if value > coverage[index] { coverage[index] = value }
      }
      touch(row, 0..<width)
    }
  }

  private func accumulate(
    from a: (x: Double, y: Double), to b: (x: Double, y: Double), into deltas: inout [Double]
  ) {
    guard a.y != b.y else { return }
    let sign: Double = a.y < b.y ? 1 : -1
    let (top, bottom) = a.y < b.y ? (a, b) : (b, a)
    let slope = (bottom.x - top.x) / (bottom.y - top.y)
    for row in range(top.y, bottom.y, from: minY, count: height) {
      let y0 = max(top.y, Double(row + minY))
      let y1 = min(bottom.y, Double(row + minY + 1))
      guard y1 > y0 else { continue }
      let x0 = top.x + (y0 - top.y) * slope - Double(minX)
      let x1 = top.x + (y1 - top.y) * slope - Double(minX)
      accumulateRow(
        (y1 - y0) * sign, from: min(x0, x1), to: max(x0, x1), base: row * (width + 2), into: &deltas)
    }
  }

  /// Spreads the height `area` of an edge piece that runs from column position `x0` to `x1`.
  private func accumulateRow(
    _ area: Double, from x0: Double, to x1: Double, base: Int, into deltas: inout [Double]
  ) {
    let left = min(max(x0, 0), Double(width))
    let right = min(max(x1, 0), Double(width))
    let span = x1 - x0
    guard span > 1e-9 else {
      deposit(area, at: left, base: base, into: &deltas)
      return
    }
    // Pieces beyond either side of the mask act as if they stood at its side.
    deposit(area * max(0, min(x1, 0) - x0) / span, at: 0, base: base, into: &deltas)
    deposit(
      area * max(0, x1 - max(x0, Double(width))) / span, at: Double(width), base: base, into: &deltas)
    var x = left
    while x < right {
      let next = min(right, x.rounded(.down) + 1)
      deposit(area * (next - x) / span, at: (x + next) / 2, base: base, into: &deltas)
      x = next
    }
  }

  /// An upright edge of height `area` at `x`: its cell is covered from `x` on, later cells wholly.
  private func deposit(_ area: Double, at x: Double, base: Int, into deltas: inout [Double]) {
    let cell = Int(x)
    let share = x - Double(cell)
    deltas[base + cell] += area * (1 - share)
    deltas[base + cell + 1] += area * share
  }

  /// Adds a disc.
  mutating func addDisc(center: (x: Double, y: Double), radius: Double) {
    for row in range(center.y - radius - 1, center.y + radius + 1, from: minY, count: height) {
      let columns = range(center.x - radius - 1, center.x + radius + 1, from: minX, count: width)
      let dy = Double(row + minY) + 0.5 - center.y
      for column in columns {
        let dx = Double(column + minX) + 0.5 - center.x
        let value = Float(min(1, radius + 0.5 - (dx * dx + dy * dy).squareRoot()))
        let index = row * width + column
        if value > coverage[index] { coverage[index] = value }
      }
      touch(row, columns)
    }
  }

  // MARK: - Bookkeeping

  /// Every pixel at least half covered becomes wholly covered, every other empty.
  mutating func harden() {
    for index in coverage.indices { coverage[index] = coverage[index] >= 0.5 ? 1 : 0 }
  }

  private mutating func touch(_ row: Int, _ columns: Range<Int>) {
    guard !columns.isEmpty else { return }
    let known = touched[row]
    touched[row] =
      known.isEmpty
      ? columns : min(known.lowerBound, columns.lowerBound)..<max(known.upperBound, columns.upperBound)
  }

  /// The cells of an axis that starts at `origin` which the interval `low...high` meets.
  private func range(_ low: Double, _ high: Double, from origin: Int, count: Int) -> Range<Int> {
    let first = max(0, (low - Double(origin)).rounded(.down))
    let last = min(Double(count), (high - Double(origin)).rounded(.up))
    return first < last ? Int(first)..<Int(last) : 0..<0
  }
}
