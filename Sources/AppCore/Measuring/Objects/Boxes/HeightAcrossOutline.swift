import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The height of a box above its support, from pairs of cells on both sides of its top's outline.
///
/// What neighbors share cancels between the cells of a pair, the nearest on either side, and does not between the whole top
/// and the whole support.
package struct HeightAcrossOutline {
  /// Pairs that a height needs.
  private static let leastPairs = 20
  /// Cells count as the top's or the support's within this many standard deviations of their heights.
  private static let near = 3.0
  /// Cells of a surface are looked for over so many cells more: upright faces lie between, and readings are missing.
  private static let search = 3
  /// Pairs of a row or column that ends aslant: one for each of both directions.
  private static let aslant = 2.0.squareRoot()

  /// The height.
  package let meters: Double
  /// Its standard error, meters.
  package let error: Double

  /// Nil for too few pairs, and for a sensor whose neighbors share nothing.
  ///
  /// - `box`: The object as a box.
  init?(_ grid: SurfaceGrid, _ object: ObjectCells, _ support: SupportPlane, box: FittedBox) {
    guard grid.alike.correlated > 0 else { return nil }
    // Cells nearer to a step may be on its ramp.
    let apart = Int(clamping: (2 * grid.edgeDoubt).rounded(.up))
    let rays = box.rays(from: grid.camera)
    func deviation(_ cell: Int) -> Double {
      grid.scatter * abs(grid.rays[cell].y) * grid.meters(cell)
    }
    func isTop(_ cell: Int) -> Bool {
      guard object.cells[cell], !grid.inverse[cell].isNaN,
        abs(grid.points[cell].y - box.top) < Self.near * deviation(cell)
      else { return false }
      return rays.meets(grid.rays[cell], before: .infinity)?.face == .top
    }
    func isSupport(_ cell: Int) -> Bool {
      guard !object.cells[cell], !object.raised[cell], !grid.inverse[cell].isNaN else { return false }
      return abs(support.elevation(grid.points[cell])) < Self.near * deviation(cell)
    }
    func place(_ cell: Int, _ steps: Int, _ dx: Int, _ dy: Int) -> Int? {
      Outline.step(from: cell, steps * dx, steps * dy, in: object.cells)
    }
    /// The first cell that belongs to a surface, from so many steps on, and its steps.
    func first(
      _ cell: Int, from steps: Int, towards sign: Int, _ dx: Int, _ dy: Int, _ belongs: (Int) -> Bool
    ) -> (cell: Int, steps: Int)? {
      for step in steps...steps + Self.search {
        guard let found = place(cell, sign * step, dx, dy) else { return nil }
        if belongs(found) { return (found, step) }
      }
      return nil
    }
    var heights: [Double] = []
    var camera: [Double] = []
    var steps: [Double] = []
    for cell in object.cells.members {
      for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        guard let next = place(cell, 1, dx, dy), !object.cells[next],
          let inner = first(cell, from: apart - 1, towards: -1, dx, dy, isTop),
          let outer = first(cell, from: apart, towards: 1, dx, dy, isSupport)
        else { continue }
        heights.append(
          support.elevation(grid.points[inner.cell]) - support.elevation(grid.points[outer.cell]))
        camera.append(abs(grid.rays[outer.cell].y) * grid.meters(outer.cell))
        steps.append(Double(inner.steps + outer.steps))
      }
    }
    guard heights.count >= Self.leastPairs else { return nil }
    meters = quantile(heights, 0.5)
    let middle = meters
    let scatter = 1.4826 * quantile(heights.map { abs($0 - middle) }, 0.5)
    // Correlation that falls exponentially: .67 at 6 cells of 15, where .65 was measured.
    let correlation = exp(-quantile(steps, 0.5) / grid.correlationLength)
    let own = grid.alike.correlated * quantile(camera, 0.5) * (2 * (1 - correlation)).squareRoot()
    let neighborhoods = Double(heights.count) / (Self.aslant * grid.correlationLength)
    error = max(own, scatter) / max(1, neighborhoods).squareRoot()
  }
}
