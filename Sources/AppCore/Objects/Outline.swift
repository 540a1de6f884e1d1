import Geometry

/// Where an object's surface ends, between its outermost cells and the next.
struct Outline {
  /// What lies beyond a place of the outline.
  enum Beyond {
    /// Something farther: the surface ends here.
    case behind
    /// The supporting plane.
    case support
    /// A surface that goes on: the mask alone says where the object ends.
    case touching
    /// Something nearer: the object goes on behind it, unseen.
    case occluder
  }

  struct Sample {
    /// The object's surface at its end, carried on from inside.
    let point: Point3<World>
    /// The distance along the surface within which the end lies.
    let interval: Vector3<World>
    /// From the surface inside to its end.
    let outward: Vector3<World>
    let beyond: Beyond
    /// The row or column of cells that ends here: samples of the same one share where between two cells they lie.
    let line: Int
  }

  /// Samples of the outline; occluded ones hold no end of the object.
  private(set) var samples: [Sample] = []
  /// Where the object goes on beyond the picture or the sensor's field.
  struct Cut {
    let point: Point3<World>
    /// The level direction in which it does; zero where that is up or down.
    let outward: Vector3<World>
  }

  /// The object's places at the border of the picture or of the sensor's field.
  private(set) var cuts: [Cut] = []
  /// Whether mask and depth agree on the edge, so that the mask places it within a cell.
  let maskIsExact: Bool

  /// Cells beyond the edge to look for a reading.
  private static let farthest = 3
  /// Rows of cells that are cut off where the mask reaches the border of the picture.
  private static let cutRows = 3.0
  /// Places a cell at which the mask is asked for its edge.
  private static let probes = 8
  /// Share of clear edges at which the mask's edge lies in the same cell as the depth's, for an exact mask.
  private static let agreement = 0.65

  private struct Edge {
    let cell: Int
    let dx: Int
    let dy: Int
    /// Inverse depth of the object's surface, and its change for each cell outwards.
    let inverse: Double
    let slope: Double
    /// Cells to the first reading beyond, and to the first that is not mixed.
    let first: Int
    var clear: Int
    /// Inverse depth there, NaN where there is none.
    var beyond: Double
    var isRaised: Bool
    /// The mask's edge, in cells outwards.
    var maskEdge: Double?
  }

  init(_ grid: SurfaceGrid, _ object: ObjectCells, _ links: SurfaceLinks) {
    let cells = object.cells
    var edges: [Edge] = []
    var border = Set(grid.cut(cells.members, rows: Self.cutRows))
    for cell in cells.members {
      let (x, y) = (cell % cells.width, cell / cells.width)
      for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        guard let next = Self.step(from: cell, dx, dy, in: cells) else {
          border.insert(BorderStep(cell: cell, dx: dx, dy: dy))
          continue
        }
        guard !cells[next] else { continue }
        guard var edge = Self.edge(grid, object, links, cell: cell, dx, dy) else {
          border.insert(BorderStep(cell: cell, dx: dx, dy: dy))
          continue
        }
        if grid.isMasked(Double(x), Double(y)) {
          let places = (0..<Self.probes * edge.clear).map { (Double($0) + 0.5) / Double(Self.probes) }
          edge.maskEdge = places.firstIndex {
            !grid.isMasked(Double(x) + Double(dx) * $0, Double(y) + Double(dy) * $0)
          }.map { Double($0) / Double(Self.probes) }
        }
        edges.append(edge)
      }
    }
    cuts = border.map { border in
      let (x, y) = (Double(border.cell % cells.width), Double(border.cell / cells.width))
      let step = grid.ray(x + Double(border.dx), y + Double(border.dy)) - grid.ray(x, y)
      return Cut(point: grid.points[border.cell], outward: Self.level(step))
    }
    let clear = edges.filter { edge in
      let meters = 1 / edge.beyond
      let surface = 1 / max(edge.inverse + Double(edge.first) * edge.slope, 1e-6)
      return meters - surface > (6 * grid.noise + 1.5 * grid.pitch) * meters
    }
    let agreeing = clear.count { edge in edge.maskEdge.map { $0 <= Double(edge.first) + 0.01 } ?? false }
    maskIsExact = clear.count > 5 && Double(agreeing) > Self.agreement * Double(clear.count)
    for edge in edges {
      if let sample = Self.sample(edge, grid, cells.width, maskIsExact: maskIsExact) {
        samples.append(sample)
      }
    }
  }

  /// The direction of a step's level part, unless it leads up or down.
  private static func level(_ step: Vector3<World>) -> Vector3<World> {
    let level = Vector3<World>(step.x, 0, step.z)
    return level.length > 0.3 * step.length ? level * (1 / level.length) : Vector3(0, 0, 0)
  }

  /// The cell one step on; nil outside the grid.
  static func step(from cell: Int, _ dx: Int, _ dy: Int, in cells: CellSet) -> Int? {
    let (x, y) = (cell % cells.width + dx, cell / cells.width + dy)
    return x >= 0 && y >= 0 && x < cells.width && y < cells.height ? y * cells.width + x : nil
  }

  /// Nil where the sensor's field ends before there is a reading.
  private static func edge(
    _ grid: SurfaceGrid, _ object: ObjectCells, _ links: SurfaceLinks, cell: Int, _ dx: Int, _ dy: Int
  ) -> Edge? {
    let cells = object.cells
    let slope = slope(grid, cells, cell, dx, dy)
    var distance = 0
    var place: Int? = cell
    repeat {
      place = place.flatMap { step(from: $0, dx, dy, in: cells) }
      distance += 1
      guard place != nil else { return nil }
    } while distance <= farthest && place.map { grid.inverse[$0].isNaN } ?? false
    guard let found = place, distance <= farthest else {
      return Edge(
        cell: cell, dx: dx, dy: dy, inverse: grid.inverse[cell], slope: slope, first: farthest + 1,
        clear: farthest + 1, beyond: .nan, isRaised: true)
    }
    var edge = Edge(
      cell: cell, dx: dx, dy: dy, inverse: grid.inverse[cell], slope: slope, first: distance, clear: distance,
      beyond: grid.inverse[found], isRaised: object.raised[found])
    // A cell that hangs together with nothing behind it is mixed: the edge lies before the next one.
    let surface = grid.inverse[cell] + Double(distance) * slope
    if surface > 0, let next = step(from: found, dx, dy, in: cells), !grid.inverse[next].isNaN,
      grid.meters(next) - 1 / surface > (6 * grid.noise + 3 * grid.pitch) / surface, !links.joins(found, next)
    {
      edge.clear += 1
      edge.beyond = grid.inverse[next]
      edge.isRaised = object.raised[found]
    }
    return edge
  }

  /// The change of inverse depth for each cell outwards, over up to three cells of one slope.
  private static func slope(_ grid: SurfaceGrid, _ cells: CellSet, _ cell: Int, _ dx: Int, _ dy: Int)
    -> Double
  {
    guard let inner = step(from: cell, -dx, -dy, in: cells), cells[inner] else { return 0 }
    let first = grid.inverse[cell] - grid.inverse[inner]
    var slope = first
    var last = inner
    for length in 2...3 {
      guard let next = step(from: last, -dx, -dy, in: cells), cells[next] else { break }
      let change = grid.inverse[last] - grid.inverse[next]
      guard abs(change - first) <= (3 * 2.45 * grid.noise + 1e-3) * grid.inverse[cell] else { break }
      slope = (grid.inverse[cell] - grid.inverse[next]) / Double(length)
      last = next
    }
    return slope
  }

  private static func sample(_ edge: Edge, _ grid: SurfaceGrid, _ width: Int, maskIsExact: Bool) -> Sample? {
    // Where an exact mask goes on past the next cell, that one sees another face of the object.
    if maskIsExact {
      guard let masked = edge.maskEdge, masked <= Double(edge.first) + 0.01 else { return nil }
    }
    let (x, y) = (Double(edge.cell % width), Double(edge.cell / width))
    func surface(_ distance: Double) -> Point3<World> {
      let inverse = max(edge.inverse + distance * edge.slope, 0.2 * edge.inverse)
      return grid.camera + grid.ray(x + Double(edge.dx) * distance, y + Double(edge.dy) * distance)
        * (1 / inverse)
    }
    let beyond = kind(edge, grid)
    var place = Double(edge.clear) / 2
    var interval = Double(edge.clear)
    if let masked = edge.maskEdge, maskIsExact || beyond == .touching {
      place = masked
      interval = maskIsExact ? 1 / Double(probes) : 1
    }
    return Sample(
      point: surface(place), interval: surface(place + interval / 2) - surface(place - interval / 2),
      outward: surface(0) - surface(-3), beyond: beyond,
      line: edge.dx != 0 ? edge.cell % width : -1 - edge.cell / width)
  }

  private static func kind(_ edge: Edge, _ grid: SurfaceGrid) -> Beyond {
    guard !edge.beyond.isNaN else { return .behind }
    let meters = 1 / edge.beyond
    let surface = 1 / max(edge.inverse + Double(edge.clear) * edge.slope, 1e-6)
    let gap = meters - surface
    let (noise, cell) = (grid.noise * meters, grid.pitch * meters)
    if !edge.isRaised && gap < 6 * noise + 1.5 * cell { return .support }
    if gap < -(6 * noise + 0.5 * cell) { return .occluder }
    return gap < 4 * noise + 0.5 * cell ? .touching : .behind
  }
}
