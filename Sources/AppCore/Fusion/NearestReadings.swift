import FileFormats

/// The nearest reading from each cell of a grid in eight directions.
struct NearestReadings {
  /// Pairs of opposite directions: along the rows, down the columns, and both diagonals.
  static let axes = [(dx: 1, dy: 0), (dx: 0, dy: 1), (dx: 1, dy: 1), (dx: -1, dy: 1)]

  private let width: Int
  /// Steps to the nearest reading, 0 where there is none: for each axis ahead, then back.
  private let steps: [[Int32]]

  init(_ hasReading: [Bool], width: Int, height: Int) {
    self.width = width
    steps = Parallel.map(2 * Self.axes.count) { direction in
      let (axis, sign) = (Self.axes[direction / 2], direction % 2 == 0 ? 1 : -1)
      return Self.steps(hasReading, width: width, height: height, dx: sign * axis.dx, dy: sign * axis.dy)
    }
  }

  private static func steps(_ hasReading: [Bool], width: Int, height: Int, dx: Int, dy: Int) -> [Int32] {
    var counted = [Int32](repeating: 0, count: hasReading.count)
    let isRead = hasReading.span
    var steps = counted.mutableSpan
    let columns = max(0, -dx)..<max(max(0, -dx), width - max(0, dx))
    for row in 0..<height {
      // The cell that is read below is computed first.
      let y = dy > 0 ? height - 1 - row : row
      guard y + dy >= 0, y + dy < height else { continue }
      for column in columns {
        let x = dx > 0 ? columns.upperBound - 1 - (column - columns.lowerBound) : column
        let cell = y &* width &+ x
        let next = cell &+ dy &* width &+ dx
        let beyond = steps[next]
        steps[cell] = isRead[next] ? 1 : beyond > 0 ? beyond &+ 1 : 0
      }
    }
    return counted
  }

  /// The cell of the nearest reading along an axis, ahead (`back` false) or back, and how many steps away it lies.
  @inline(__always)
  func reading(from cell: Int, axis: Int, back: Bool) -> (cell: Int, steps: Int)? {
    let count = Int(steps[2 * axis + (back ? 1 : 0)][cell])
    guard count > 0 else { return nil }
    let direction = Self.axes[axis]
    let distance = (direction.dy * width + direction.dx) * count
    return (back ? cell - distance : cell + distance, count)
  }
}
