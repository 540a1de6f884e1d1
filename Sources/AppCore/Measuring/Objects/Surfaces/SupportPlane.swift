import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The floor, table or bed that an object stands on: y = height + slopeX (x - x0) + slopeZ (z - z0).
struct SupportPlane {
  /// Cells that a plane needs.
  private static let leastCells = 30
  /// An object stands on a level other than the largest if that touches it in this many times as many cells.
  private static let closerBy = 3.0
  /// A level with this share of the object's cells is one of its own surfaces.
  private static let ownShare = 0.1
  /// Planes nearer to level than this are level, radians.
  private static let level = 1.0 * Double.pi / 180
  /// Reach of Tukey's biweight in standard deviations (Holland and Welsch, 1977).
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

  /// The level surface at which the object seen by `object` ends below; nil where none is seen or the object's lowest
  /// points float above it.
  ///
  /// - Parameters:
  ///   - grid: The depth around the object.
  ///   - object: Cells that are surely the object's.
  ///   - inside: All cells within its mask.
  ///   - around: Those well outside of it.
  ///   - touching: Those of `around` whose surface is connected to the object's.
  ///   - links: Which cells are connected.
  init?(
    _ grid: SurfaceGrid, object: CellSet, inside: CellSet, around: CellSet, touching: CellSet,
    links: SurfaceLinks
  ) {
    let low = quantile(inside.members.map { grid.points[$0].y }, 0.02)
    let high = quantile(object.members.map { grid.points[$0].y }, 0.9)
    let doubt = quantile(inside.members.map { Self.noise(grid, $0) }, 0.5)
    let slack = 6 * doubt + 0.2 * (high - low)
    let candidates = around.members.filter { grid.points[$0].y < low + slack }
    guard candidates.count >= Self.leastCells else { return nil }
    guard let largest = Self.level(grid, candidates) else { return nil }
    let closer = Self.closer(grid, than: largest, object: object, touching: touching)
    let height = closer ?? largest.height
    var surface = around
    for cell in around.members where abs(grid.points[cell].y - height) >= 3 * Self.noise(grid, cell) + 0.003 {
      surface[cell] = false
    }
    if closer != nil { surface = touching.grown(within: surface, links: links) }
    let members = object.members
    let x0 = members.reduce(0) { $0 + grid.points[$1].x } / Double(members.count)
    let z0 = members.reduce(0) { $0 + grid.points[$1].z } / Double(members.count)
    guard let fit = Self.fit(grid, surface.members, x0, z0) else { return nil }
    self.x0 = x0
    self.z0 = z0
    (self.height, slopeX, slopeZ) = fit
    let elevations = inside.members.map { elevation(grid.points[$0]) }
    let top = quantile(object.members.map { elevation(grid.points[$0]) }, 0.9)
    let cell = grid.cellWidth(at: object.members)
    guard quantile(elevations, 0.02) <= 6 * doubt + 0.2 * top + 2 * cell else { return nil }
  }

  /// The level at which an object touches a surface connected to it, where that clearly differs from the
  /// largest level: a box stands on the one below it rather than on the floor.
  private static func closer(
    _ grid: SurfaceGrid, than largest: Level, object: CellSet, touching: CellSet
  ) -> Double? {
    let contacts = touching.members
    guard let closest = level(grid, contacts) else { return nil }
    func share(_ cells: [Int], at level: Level) -> Double {
      Double(cells.count { abs(grid.points[$0].y - level.height) < level.band }) / Double(cells.count)
    }
    // A flat object that its mask does not cover touches its own surface.
    let isOwn = share(object.members, at: closest) > ownShare
    return !isOwn && share(contacts, at: closest) > closerBy * share(contacts, at: largest)
      ? closest.height : nil
  }

  /// A height at which cells lie.
  private struct Level {
    let height: Double
    let band: Double
  }

  /// The height at which most of some cells lie, if they are enough.
  private static func level(_ grid: SurfaceGrid, _ cells: [Int]) -> Level? {
    guard cells.count >= leastCells else { return nil }
    let band = 4 * quantile(cells.map { noise(grid, $0) }, 0.5) + 0.002
    return gatherings(of: ascending(cells.map { grid.points[$0].y }), band: band, most: 1, least: leastCells)
      .first.map { Level(height: $0.mean, band: band) }
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
      var normal = [SIMD4<Double>](repeating: .zero, count: 3)
      for (cell, weight) in zip(cells, weights) {
        let point = grid.points[cell]
        let row = SIMD4(1, point.x - x0, point.z - z0, point.y)
        for i in 0..<3 { normal[i] += (weight * row[i]) * row }
      }
      guard let solution = solvedThree(normal.flatMap { row in (0..<4).map { row[$0] } }) else { return nil }
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
