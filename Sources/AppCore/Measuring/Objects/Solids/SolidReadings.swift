import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The input to which solids are fitted: the readings of an object's cells and those around.
struct SolidReadings {
  /// How much readings scatter about a face, relative to their depth.
  struct Noise {
    /// From cell to cell.
    let white: Double
    /// With what neighbors share.
    let all: Double
  }

  /// Cells around the object that take part.
  private static let surroundings = 8
  /// Rays per cell along a row or column beside an exact mask's edge.
  private static let probes = 8
  /// How far outwards a detector's masks end, and its standard deviation, cells: docs/explanation/measuring.md.
  private static let maskError = (outwards: 0.9, deviation: 0.9)
  /// Distances from a mask's edge, in cells, beyond which all cells count alike.
  private static let farthest = 4
  /// Standard deviations of the difference of two neighborhoods beyond which a step is the object's.
  private static let clear = 3.0
  /// No mask is surer than this.
  private static let leastProbability = 0.02

  /// The share that the right solid explains at least: all but strays, and the cells at edges that the sensor displaces.
  let most: Double
  /// The share that a whole box explains at least where it is taken because none explains more.
  let least: Double
  let likelihood: SolidLikelihood
  let object: CellSet
  /// A cell's width at the object, meters.
  let cell: Double
  /// Its length along the top, away from the camera.
  let length: Double
  /// Relative standard deviation of a reading: from cell to cell, and with what neighbors share.
  let noise: Noise
  /// Heights of the object's readings, and the band within which those of a level surface lie.
  let heights: [Double]
  let levelBand: Double
  /// The support's height under the object.
  let bottom: Double
  /// Where the readings were taken from.
  let camera: Point3<World>
  /// The least difference of two levels that is more than neighborhoods differ by, meters.
  let leastStep: Double

  init(
    _ grid: SurfaceGrid, _ object: ObjectCells, _ links: SurfaceLinks, support: SupportPlane,
    maskIsExact: Bool
  ) {
    let around = object.cells.dilated(Self.surroundings)
    likelihood = SolidLikelihood(
      grid, support: support, beside: Surroundings(grid, object, links).meters,
      cells: around.members.filter { !grid.inverse[$0].isNaN },
      edges: maskIsExact ? Self.edges(grid, object) : [],
      unread: Self.unread(grid, around, maskIsExact: maskIsExact))
    self.object = object.cells
    // An outline has about four cells for each along a side, and half of those displaced lie outside.
    let displaced = 2 * grid.edgeShift / Double(max(object.cells.count, 1)).squareRoot()
    most = max(SolidFit.least, SolidFit.most - displaced)
    least = SolidFit.least - displaced
    cell = grid.cellWidth(at: object.cells.members)
    let fall = quantile(object.cells.members.map { abs(grid.rays[$0].y) / grid.rays[$0].length }, 0.5)
    length = min(cell / max(fall, 0.1), 6 * cell)
    noise = Noise(white: grid.noise, all: grid.scatter)
    let points = object.cells.members.map { grid.points[$0] }
    heights = points.map(\.y)
    levelBand = 4 * quantile(object.cells.members.map { SupportPlane.noise(grid, $0) }, 0.5) + 0.002
    bottom = quantile(points.map { support.height(under: $0) }, 0.5)
    camera = grid.camera
    let climb = quantile(object.cells.members.map { abs(grid.rays[$0].y) * grid.meters($0) }, 0.5)
    leastStep = Self.clear * 2.0.squareRoot() * grid.alike.correlated * climb
  }

  /// Rays without a reading, and how likely they are to meet the object where masks err as those of detectors do.
  private static func unread(
    _ grid: SurfaceGrid, _ around: CellSet, maskIsExact: Bool
  ) -> [(ray: Vector3<World>, probability: Double)] {
    let cells = around.members.filter { grid.inverse[$0].isNaN }
    guard !cells.isEmpty else { return [] }
    let mask = CellSet(width: grid.width, height: grid.height, grid.coverage.map { $0 > 0.5 })
    let error = maskIsExact ? (outwards: 0, deviation: 0.25) : maskError
    var rings = [(inside: mask.eroded(1), outside: mask.dilated(1))]
    while rings.count < farthest, let last = rings.last {
      rings.append((last.inside.eroded(1), last.outside.dilated(1)))
    }
    return cells.map { cell in
      // Cells from the cell's middle to the mask's edge, inside or outside.
      let depth: Double =
        if mask[cell] {
          Double(rings.count { $0.inside[cell] }) + 0.5
        } else {
          -Double(rings.count { !$0.outside[cell] }) - 0.5
        }
      let odds = 1.7 * (depth - error.outwards) / error.deviation
      return (grid.rays[cell], min(max(1 / (1 + exp(-odds)), leastProbability), 1 - leastProbability))
    }
  }

  /// Rays on both sides of the mask's edge, but where something nearer may hide the object.
  private static func edges(_ grid: SurfaceGrid, _ object: ObjectCells) -> [(
    ray: Vector3<World>, isObject: Bool
  )] {
    let isMasked = (0..<grid.width * grid.height).map { grid.isMasked(grid.place($0)) }
    var edges: [(ray: Vector3<World>, isObject: Bool)] = []
    for cell in isMasked.indices {
      for (dx, dy) in [(1, 0), (0, 1)] {
        guard let next = Outline.step(from: cell, dx, dy, in: object.cells), isMasked[cell] != isMasked[next]
        else { continue }
        let (inner, outer) = isMasked[cell] ? (cell, next) : (next, cell)
        let gap = grid.meters(inner) - grid.meters(outer)
        if object.raised[outer], gap > (6 * grid.noise + 0.5 * grid.pitch) * grid.meters(inner) { continue }
        func place(_ probe: Int) -> Point2<DepthCells> {
          grid.place(cell, steps: Double(probe) / Double(probes), dx, dy)
        }
        let changes = (1...probes).first { grid.isMasked(place($0)) != isMasked[cell] }
        guard let change = changes else { continue }
        for probe in [change - 1, change] {
          edges.append((grid.ray(place(probe)), (probe < change) == isMasked[cell]))
        }
      }
    }
    return edges
  }
}
