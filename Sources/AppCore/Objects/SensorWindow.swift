import Geometry
import Imaging

/// The valid sensor cells under a detection's box.
struct SensorWindow {
  /// A sensor reading.
  struct Cell {
    let x: Int
    let y: Int
    /// Planar depth.
    let meters: Double
    /// The cell's center on the picture.
    let point: Point2<ImagePixels>
    /// Whether the sensor read it; else it is carried over from readings nearby.
    let isMeasured: Bool
  }

  /// All valid cells, row by row.
  let all: [Cell]
  /// Those whose eroded mask exceeds 0.5; without a mask those in the oriented box, and all of them without either.
  let masked: [Cell]

  /// On both axes from cell floor(min * cells / pixels) to min(last, floor(max * cells / pixels)), inclusive.
  ///
  /// - Precondition: `box` is finite, not empty and inside the picture.
  init(
    _ sensor: MetricDepth, box: Rect<ImagePixels>, mask: InstanceMask?,
    orientedBox: RotatedRect<ImagePixels>? = nil, imageSize: PixelSize
  ) {
    let perPixelX = Double(sensor.width) / Double(imageSize.width)
    let perPixelY = Double(sensor.height) / Double(imageSize.height)
    let eroded = mask?.eroded(for: box)
    var all: [Cell] = []
    var masked: [Cell] = []
    for y in Int(box.minY * perPixelY)...min(sensor.height - 1, Int(box.maxY * perPixelY)) {
      for x in Int(box.minX * perPixelX)...min(sensor.width - 1, Int(box.maxX * perPixelX))
      where sensor.states[x, y] != .invalid {
        let cell = Cell(
          x: x, y: y, meters: Double(sensor.values[x, y]),
          point: Point2((Double(x) + 0.5) / perPixelX, (Double(y) + 0.5) / perPixelY),
          isMeasured: sensor.states[x, y] == .measured)
        all.append(cell)
        let isInside =
          eroded.map { $0.probability(at: cell.point) > 0.5 } ?? orientedBox?.contains(cell.point) ?? true
        if isInside { masked.append(cell) }
      }
    }
    self.all = all
    self.masked = masked
  }
}
