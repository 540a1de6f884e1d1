import Geometry

/// An object's surface, carried on from one of its outermost cells along a row or column.
struct CarriedSurface {
  /// The row or column: samples of the same one share where between two cells they lie.
  let line: Int

  private let camera: Point3<World>
  /// The cell's ray, and its change for each cell outwards.
  private let ray: Vector3<World>
  private let turn: Vector3<World>
  private let inverse: Double
  /// The change of inverse depth for each cell outwards.
  private let slope: Double

  /// The surface from `cell` on, in steps of (`dx`, `dy`).
  init(_ grid: SurfaceGrid, _ cells: CellSet, _ cell: Int, _ dx: Int, _ dy: Int) {
    let (x, y) = (cell % cells.width, cell / cells.width)
    line = dx != 0 ? x : -1 - y
    camera = grid.camera
    ray = grid.rays[cell]
    turn = grid.ray(grid.place(cell, steps: 1, dx, dy)) - ray
    inverse = grid.inverse[cell]
    slope = Self.slope(grid, cells, cell, dx, dy)
  }

  /// Inverse depth at a number of cells outwards.
  func inverse(_ distance: Double) -> Double { inverse + distance * slope }

  /// The surface's point at a number of cells outwards.
  func point(_ distance: Double) -> Point3<World> {
    let inverse = max(inverse(distance), 0.2 * inverse)
    return camera + (ray + turn * distance) * (1 / inverse)
  }

  /// From three cells inside to the cell.
  var outward: Vector3<World> { point(0) - point(-3) }

  /// Whether a way outwards leads up rather than aside.
  static func rises(_ outward: Vector3<World>) -> Bool { outward.y > 0.7 * outward.length }

  /// The change of inverse depth for each cell outwards, over up to three cells of one slope.
  private static func slope(
    _ grid: SurfaceGrid, _ cells: CellSet, _ cell: Int, _ dx: Int, _ dy: Int
  ) -> Double {
    guard let inner = Outline.step(from: cell, -dx, -dy, in: cells), cells[inner] else { return 0 }
    let first = grid.inverse[cell] - grid.inverse[inner]
    var slope = first
    var last = inner
    for length in 2...3 {
      guard let next = Outline.step(from: last, -dx, -dy, in: cells), cells[next] else { break }
      let change = grid.inverse[last] - grid.inverse[next]
      guard abs(change - first) <= (3 * 2.45 * grid.noise + 1e-3) * grid.inverse[cell] else { break }
      slope = (grid.inverse[cell] - grid.inverse[next]) / Double(length)
      last = next
    }
    return slope
  }
}
