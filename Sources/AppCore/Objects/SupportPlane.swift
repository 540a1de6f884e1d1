import Glibc
import Geometry

/// The floor, table or bed that an object stands on: y = height + slopeX (x - x0) + slopeZ (z - z0).
struct SupportPlane {
  /// Cells that a plane needs.
  private static let leastCells = 30
  /// Planes nearer to level than this are level, radians.
  private static let level = 1.0 * Double.pi / 180
  /// Tukey's biweight reaches so many standard deviations (Holland and Welsch, 1977).
  private static let reach = 4.685

  private let x0: Double
  private let z0: Double
  private let height: Double
  private let slopeX: Double
  private let slopeZ: Double

  /// The plane's height below or above a point.
  func height(under point: Point3<World>) -> Double {
    height + slopeX * (point.x - x0) + slopeZ * (point.z - z0)
  }

  /// How far a point lies above the plane.
  func elevation(_ point: Point3<World>) -> Double { point.y - height(under: point) }

  /// How much farther above the plane a step leads.
  func climb(_ step: Vector3<World>) -> Double { step.y - slopeX * step.x - slopeZ * step.z }

  /// The level surface at which the object seen by `object` ends below, found in the cells of `around`; nil where
  /// none is seen or the object's lowest points float above it.
  init?(_ grid: SurfaceGrid, object: CellSet, inside: CellSet, around: CellSet) {
    let low = quantile(inside.members.map { grid.points[$0].y }, 0.02)
    let high = quantile(object.members.map { grid.points[$0].y }, 0.9)
    let doubt = quantile(inside.members.map { Self.noise(grid, $0) }, 0.5)
    let slack = 6 * doubt + 0.2 * (high - low)
    let candidates = around.members.filter { grid.points[$0].y < low + slack }
    guard candidates.count >= Self.leastCells else { return nil }
    let heights = candidates.map { grid.points[$0].y }.sorted()
    let band = 4 * quantile(candidates.map { Self.noise(grid, $0) }, 0.5) + 0.002
    guard let level = gatherings(of: heights, band: band, most: 1, least: Self.leastCells).first?.mean
    else { return nil }
    let cells = around.members.filter {
      abs(grid.points[$0].y - level) < 3 * Self.noise(grid, $0) + 0.003
    }
    let members = object.members
    let x0 = members.reduce(0) { $0 + grid.points[$1].x } / Double(members.count)
    let z0 = members.reduce(0) { $0 + grid.points[$1].z } / Double(members.count)
    guard let fit = Self.fit(grid, cells, x0, z0) else { return nil }
    self.x0 = x0
    self.z0 = z0
    (height, slopeX, slopeZ) = fit
    let elevations = inside.members.map { elevation(grid.points[$0]) }
    let top = quantile(object.members.map { elevation(grid.points[$0]) }, 0.9)
    let cell = quantile(object.members.map { grid.pitch * grid.meters($0) }, 0.5)
    guard quantile(elevations, 0.02) <= 6 * doubt + 0.2 * top + 2 * cell else { return nil }
  }

  /// The noise of a cell's height, meters.
  static func noise(_ grid: SurfaceGrid, _ cell: Int) -> Double {
    max(grid.noise * grid.meters(cell) * abs(grid.rays[cell].y), 3e-4)
  }

  /// Iterated weighted least squares; level if nearly so.
  private static func fit(
    _ grid: SurfaceGrid, _ cells: [Int], _ x0: Double, _ z0: Double
  ) -> (height: Double, slopeX: Double, slopeZ: Double)? {
    guard cells.count >= leastCells else { return nil }
    let noise = cells.map { Self.noise(grid, $0) }
    var weights = noise.map { 1 / ($0 * $0) }
    var found = (height: 0.0, slopeX: 0.0, slopeZ: 0.0)
    for _ in 0..<6 {
      var normal = [Double](repeating: 0, count: 12)
      for (cell, weight) in zip(cells, weights) {
        let point = grid.points[cell]
        let row = [1, point.x - x0, point.z - z0, point.y]
        for i in 0..<3 { for j in 0..<4 { normal[i * 4 + j] += weight * row[i] * row[j] } }
      }
      guard let solution = solvedThree(normal) else { return nil }
      found = (solution[0], solution[1], solution[2])
      let residuals = zip(cells, noise).map { cell, noise in
        let point = grid.points[cell]
        return (point.y - found.height - found.slopeX * (point.x - x0) - found.slopeZ * (point.z - z0))
          / noise
      }
      let scale = max(1.4826 * quantile(residuals.map(abs), 0.5), 0.2) * reach
      weights = zip(residuals, noise).map { residual, noise in
        let rest = max(0, 1 - (residual / scale) * (residual / scale))
        return rest * rest / (noise * noise)
      }
    }
    guard hypot(found.slopeX, found.slopeZ) < tan(level) else { return found }
    let total = weights.reduce(0, +)
    return (zip(cells, weights).reduce(0) { $0 + $1.1 * grid.points[$1.0].y } / total, 0, 0)
  }
}
