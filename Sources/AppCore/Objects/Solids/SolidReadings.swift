import Geometry

/// What solids are fitted to: the readings of an object's cells and those around.
struct SolidReadings {
  /// Cells around the object that take part.
  private static let surroundings = 8
  /// Rays along a row or column beside an exact mask's edge lie so many to a cell.
  private static let probes = 8

  let likelihood: SolidLikelihood
  let object: CellSet
  /// A cell's width at the object, meters.
  let cell: Double
  /// Its length along the top, away from the camera.
  let length: Double
  /// Relative standard deviation of a reading.
  let noise: Double
  /// Heights of the object's readings, and the band within which those of a level surface lie.
  let heights: [Double]
  let levelBand: Double
  /// The support's height under the object.
  let bottom: Double

  init(_ grid: SurfaceGrid, _ object: ObjectCells, support: SupportPlane, maskIsExact: Bool) {
    let around = object.cells.dilated(Self.surroundings)
    likelihood = SolidLikelihood(
      grid, support: support, cells: around.members.filter { !grid.inverse[$0].isNaN },
      edges: maskIsExact ? Self.edges(grid, object) : [])
    self.object = object.cells
    cell = grid.cellWidth(at: object.cells.members)
    let fall = quantile(object.cells.members.map { abs(grid.rays[$0].y) / grid.rays[$0].length }, 0.5)
    length = min(cell / max(fall, 0.1), 6 * cell)
    noise = grid.noise
    let points = object.cells.members.map { grid.points[$0] }
    heights = points.map(\.y)
    levelBand = 4 * quantile(object.cells.members.map { SupportPlane.noise(grid, $0) }, 0.5) + 0.002
    bottom = quantile(points.map { support.height(under: $0) }, 0.5)
  }

  /// Rays on both sides of the mask's edge, but where something nearer may hide the object.
  private static func edges(_ grid: SurfaceGrid, _ object: ObjectCells) -> [(
    ray: Vector3<World>, isObject: Bool
  )] {
    let isMasked = (0..<grid.width * grid.height).map {
      grid.isMasked(Double($0 % grid.width), Double($0 / grid.width))
    }
    var edges: [(ray: Vector3<World>, isObject: Bool)] = []
    for cell in isMasked.indices {
      for (dx, dy) in [(1, 0), (0, 1)] {
        guard let next = Outline.step(from: cell, dx, dy, in: object.cells), isMasked[cell] != isMasked[next]
        else { continue }
        let (inner, outer) = isMasked[cell] ? (cell, next) : (next, cell)
        let gap = grid.meters(inner) - grid.meters(outer)
        if object.raised[outer], gap > (6 * grid.noise + 0.5 * grid.pitch) * grid.meters(inner) { continue }
        func place(_ probe: Int) -> (column: Double, row: Double) {
          let share = Double(probe) / Double(probes)
          return (
            Double(cell % grid.width) + share * Double(dx), Double(cell / grid.width) + share * Double(dy)
          )
        }
        guard
          let change = (1...probes).first(where: {
            grid.isMasked(place($0).column, place($0).row) != isMasked[cell]
          })
        else { continue }
        for probe in [change - 1, change] {
          let (column, row) = place(probe)
          edges.append((grid.ray(column, row), (probe < change) == isMasked[cell]))
        }
      }
    }
    return edges
  }
}
