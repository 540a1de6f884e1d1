import Geometry
import Imaging

/// The cells of completed readings under a detection's box.
struct SensorWindow {
  /// A cell that has a depth.
  struct Cell {
    let x: Int
    let y: Int
    /// Planar depth.
    let meters: Double
    /// The cell's center on the picture.
    let point: Point2<ImagePixels>
    /// Whether the sensor read it; else fused depth carries it over from readings nearby.
    let isMeasured: Bool
  }

  /// All valid cells, row by row.
  let all: [Cell]
  /// Those whose eroded mask exceeds 0.5; without a mask those in the oriented box, and all of them without either.
  let masked: [Cell]

  /// From the cell that holds the box's upper left corner to the one that holds its lower right, inclusive.
  ///
  /// - Precondition: `box` is finite, not empty and inside the picture.
  init(
    _ completed: MetricDepth, box: Rect<ImagePixels>, mask: InstanceMask?,
    orientedBox: RotatedRect<ImagePixels>? = nil, imageSize: PixelSize
  ) {
    let grid = completed.grid(over: imageSize)
    let first = grid.index(Point2(box.minX, box.minY))
    let last = grid.index(Point2(box.maxX, box.maxY))
    let eroded = mask?.eroded(for: box)
    // Read once: the masks' cells are not copied for each of the window's.
    let probabilities = eroded?.grid
    let most = (last.row - first.row + 1) * (last.column - first.column + 1)
    var all: [Cell] = []
    var masked: [Cell] = []
    all.reserveCapacity(most)
    masked.reserveCapacity(most)
    for y in first.row...last.row {
      for x in first.column...last.column where completed.states[x, y] != .invalid {
        let cell = Cell(
          x: x, y: y, meters: Double(completed.values[x, y]),
          point: grid.pixel(Point2(centerOf: x, y)),
          isMeasured: completed.states[x, y] == .measured)
        all.append(cell)
        let isInside =
          if let eroded, let probabilities {
            eroded.gridProbability(at: cell.point, in: probabilities) > 0.5
          } else {
            orientedBox?.contains(cell.point) ?? true
          }
        if isInside { masked.append(cell) }
      }
    }
    self.all = all
    self.masked = masked
  }
}
