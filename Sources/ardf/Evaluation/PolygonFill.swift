/// A raster into which outlines are filled as OpenCV's `fillPoly` fills them, with corners on whole pixels.
///
/// The pixels whose corners lie inside by the even-odd rule, and the outline itself as lines of neighboring pixels,
/// diagonal ones too.
struct PolygonFill {
  let width, height: Int
  /// 0 or 1, row-major.
  private(set) var elements: [UInt8]
  /// Bits of a fraction of a pixel.
  private static let bits = 16
  private static let one = 1 << bits

  /// A raster with nothing in it.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    elements = [UInt8](repeating: 0, count: width * height)
  }

  /// Fills one outline; corners may lie outside of the raster.
  mutating func fill(_ corners: [(x: Int, y: Int)]) {
    guard let last = corners.last else { return }
    var crossings: [[Int]] = Array(repeating: [], count: height)
    var start = last
    for end in corners {
      line(from: start, to: end)
      cross(start, end, &crossings)
      start = end
    }
    for row in 0..<height where !crossings[row].isEmpty {
      let sorted = crossings[row].sorted()
      for index in stride(from: 0, to: sorted.count - 1, by: 2) {
        let first = max(0, (sorted[index] + Self.one - 1) >> Self.bits)
        let end = min(width - 1, sorted[index + 1] >> Self.bits)
        guard first <= end else { continue }
        for column in first...end { elements[row * width + column] = 1 }
      }
    }
  }

  /// Sets nothing again in the rows and columns that corners span.
  mutating func clear(_ corners: [(x: Int, y: Int)]) {
    guard let left = corners.map(\.x).min(), let right = corners.map(\.x).max(),
      let top = corners.map(\.y).min(), let bottom = corners.map(\.y).max()
    else { return }
    let columns = min(max(left, 0), width)..<min(max(right + 1, 0), width)
    for row in min(max(top, 0), height)..<min(max(bottom + 1, 0), height) {
      for column in columns { elements[row * width + column] = 0 }
    }
  }

  /// Notes where an edge crosses rows, from its upper end to above its lower one.
  private func cross(_ start: (x: Int, y: Int), _ end: (x: Int, y: Int), _ crossings: inout [[Int]]) {
    guard start.y != end.y else { return }
    let (upper, lower) = start.y < end.y ? (start, end) : (end, start)
    let slope = ((end.x - start.x) << Self.bits) / (end.y - start.y)
    var x = upper.x << Self.bits
    for row in upper.y..<lower.y {
      if row >= 0, row < height { crossings[row].append(x) }
      x += slope
    }
  }

  /// Sets the pixels of a line: Bresenham's, eight neighbors, from left to right.
  private mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
    let (first, last) = start.x <= end.x ? (start, end) : (end, start)
    let (across, down) = (last.x - first.x, abs(last.y - first.y))
    let direction = last.y < first.y ? -1 : 1
    let (long, short) = (max(across, down), min(across, down))
    var error = long - 2 * short
    var (x, y) = first
    for _ in 0...long {
      if x >= 0, x < width, y >= 0, y < height { elements[y * width + x] = 1 }
      let isDiagonal = error < 0
      error += isDiagonal ? 2 * long - 2 * short : -2 * short
      if across >= down {
        x += 1
        if isDiagonal { y += direction }
      } else {
        y += direction
        if isDiagonal { x += 1 }
      }
    }
  }
}
