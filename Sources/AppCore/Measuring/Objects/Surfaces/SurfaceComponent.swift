import Geometry

/// Splits sensor cells into connected surfaces.
enum SurfaceComponent {
  /// Points within this many cell pitches at their depth are neighbors.
  static let radius = 2.5
  /// Beyond this many cells no two points are that near: rays n cells apart pass each other at no less than
  /// n * cos(angle from the axis) pitches, and 4 * cos > 2.5 for any field of view below 100 degrees.
  static let reach = 3

  /// The largest set of cells connected in space, in the order given; of equal sets the one that begins first.
  static func largest(
    _ cells: [SensorWindow.Cell], intrinsics: Intrinsics, over grid: DepthGrid
  ) -> [SensorWindow.Cell] {
    guard let first = cells.first else { return [] }
    let minX = cells.reduce(first.x) { min($0, $1.x) }
    let maxX = cells.reduce(first.x) { max($0, $1.x) }
    let minY = cells.reduce(first.y) { min($0, $1.y) }
    let maxY = cells.reduce(first.y) { max($0, $1.y) }
    let width = maxX - minX + 1
    let height = maxY - minY + 1
    var cellAt = [Int](repeating: -1, count: width * height)
    for (index, cell) in cells.enumerated() { cellAt[(cell.y - minY) * width + cell.x - minX] = index }

    let points = cells.map { intrinsics.unproject($0.point, depth: $0.meters) }
    let pitchPerMeter = grid.pitch(of: intrinsics)

    var label = [Int](repeating: -1, count: cells.count)
    var largest = (label: -1, size: 0)
    var open: [Int] = []
    for seed in cells.indices where label[seed] < 0 {
      label[seed] = seed
      open = [seed]
      var size = 0
      while let current = open.popLast() {
        size += 1
        let cell = cells[current]
        for y in max(minY, cell.y - reach)...min(maxY, cell.y + reach) {
          for x in max(minX, cell.x - reach)...min(maxX, cell.x + reach) {
            let near = cellAt[(y - minY) * width + x - minX]
            guard near >= 0, label[near] < 0 else { continue }
            let pitch = pitchPerMeter * (cell.meters + cells[near].meters) / 2
            if points[current].distance(to: points[near]) <= radius * pitch {
              label[near] = seed
              open.append(near)
            }
          }
        }
      }
      if size > largest.size { largest = (seed, size) }
    }
    return cells.indices.filter { label[$0] == largest.label }.map { cells[$0] }
  }
}
