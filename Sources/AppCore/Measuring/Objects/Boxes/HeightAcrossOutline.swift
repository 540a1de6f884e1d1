import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The height of a box above its support, from pairs of cells on both sides of its top's outline.
///
/// What neighbors share cancels between the cells of a pair, and does not between the whole top and the whole support.
package struct HeightAcrossOutline {
  /// Pairs that a height needs.
  private static let leastPairs = 20
  /// Cells count as the top's or the support's within this many standard deviations of their heights.
  private static let near = 3.0
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
    var heights: [Double] = []
    var camera: [Double] = []
    for cell in object.cells.members {
      for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        guard let next = place(cell, 1, dx, dy), !object.cells[next],
          let inner = place(cell, 1 - apart, dx, dy), let outer = place(cell, apart, dx, dy),
          isTop(inner), isSupport(outer)
        else { continue }
        heights.append(support.elevation(grid.points[inner]) - support.elevation(grid.points[outer]))
        camera.append(abs(grid.rays[outer].y) * grid.meters(outer))
      }
    }
    guard heights.count >= Self.leastPairs else { return nil }
    meters = quantile(heights, 0.5)
    let middle = meters
    let scatter = 1.4826 * quantile(heights.map { abs($0 - middle) }, 0.5)
    // Correlation that falls exponentially: .67 at 6 cells of 15, where .65 was measured.
    let correlation = exp(-Double(2 * apart - 1) / grid.correlationLength)
    let own = grid.alike.correlated * quantile(camera, 0.5) * (2 * (1 - correlation)).squareRoot()
    let neighborhoods = Double(heights.count) / (Self.aslant * grid.correlationLength)
    error = max(own, scatter) / max(1, neighborhoods).squareRoot()
  }
}
