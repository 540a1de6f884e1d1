/// Surfaces other than the support that an object has beside it: a wall, a neighbor, a table's leg before it.
///
/// Outside the mask they are what is read there. Near its edge, where a cell may be the object's or theirs, they are carried on
/// from outside.
struct Surroundings {
  /// Cells over which they are carried on: those in which masks err, on both sides of the edge, and a step's ramp.
  private static let reach = 8
  /// Cells of one surface from which it is carried on.
  private static let base = 3

  /// Planar depth of each cell, infinite where there is nothing but the support.
  let meters: [Double]

  init(_ grid: SurfaceGrid, _ object: ObjectCells, _ links: SurfaceLinks) {
    let outside = object.near.inverted.intersection(object.raised)
    meters = grid.inverse.indices.map { cell in
      if outside[cell] { return grid.meters(cell) }
      guard object.near[cell] else { return .infinity }
      let inverse = Self.carried(to: cell, grid, outside, links)
      return inverse.map { 1 / $0 } ?? .infinity
    }
  }

  /// The inverse depth that the nearest surface outside has at a cell, if it is carried on to it; nil where there is none.
  private static func carried(
    to cell: Int, _ grid: SurfaceGrid, _ outside: CellSet, _ links: SurfaceLinks
  ) -> Double? {
    var nearest: (steps: Int, inverse: Double)?
    for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
      var place = cell
      for steps in 1...reach {
        guard steps < nearest?.steps ?? .max, let next = Outline.step(from: place, dx, dy, in: outside)
        else { break }
        place = next
        guard outside[place] else { continue }
        if let slope = slope(from: place, dx, dy, grid, outside, links) {
          let inverse = grid.inverse[place] - Double(steps) * slope
          if inverse > 0 { nearest = (steps, inverse) }
        }
        break
      }
    }
    return nearest?.inverse
  }

  /// The change of inverse depth for each cell outwards; nil where the surface is narrower than `base`.
  private static func slope(
    from cell: Int, _ dx: Int, _ dy: Int, _ grid: SurfaceGrid, _ outside: CellSet, _ links: SurfaceLinks
  ) -> Double? {
    var last = cell
    for _ in 0..<base {
      guard let next = Outline.step(from: last, dx, dy, in: outside), outside[next], links.joins(last, next)
      else { return nil }
      last = next
    }
    return (grid.inverse[last] - grid.inverse[cell]) / Double(base)
  }
}
