import Geometry

/// Where an object's surface ends, between its outermost cells and the next.
package struct Outline {
  /// The kind of surface beyond a place of the outline.
  enum Beyond {
    /// Something farther: the surface ends here.
    case behind
    /// The supporting plane.
    case support
    /// A surface that continues: the mask alone says where the object ends.
    case touching
    /// Something nearer: the object continues behind it, unseen.
    case occluder
    /// No reading: the mask alone says that the object ends.
    case dark
    /// No reading where the mask continues, or between the surface and something nearer, or of the surface
    /// itself, whose depth is fused.
    case unread
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
    /// Whether the surface leads up there.
    var rises: Bool { CarriedSurface.rises(outward) }
  }

  /// Samples of the outline; occluded ones hold no end of the object.
  private(set) var samples: [Sample] = []
  /// Where the object extends beyond the picture or the sensor's field.
  package struct Cut {
    package let point: Point3<World>
    /// The horizontal direction in which it extends; zero where that is up or down.
    package let outward: Vector3<World>
    /// Whether the surface leads up there.
    package let rises: Bool

    package init(point: Point3<World>, outward: Vector3<World>, rises: Bool) {
      (self.point, self.outward, self.rises) = (point, outward, rises)
    }
  }

  /// The object's places at the border of the picture or of the sensor's field.
  private(set) var cuts: [Cut] = []
  /// Whether mask and depth agree on the edge, so that the mask places it within a cell.
  let maskIsExact: Bool

  /// Cells beyond the edge to look for a reading.
  private static let farthest = 3
  /// Cells without a reading at the mask's edge that are its error and what sensors drop at edges, at most.
  private static let unreadEdge = 4
  /// Cells without a reading beside something nearer: sensors drop those around such edges.
  private static let shadow = 8
  /// Rows of cells that are cut off where the mask reaches the border of the picture.
  private static let cutRows = 3.0
  /// Places a cell at which the mask is asked for its edge.
  private static let probes = 8
  /// Share of clear edges at which the mask's edge lies in the same cell as the depth's, for an exact mask.
  private static let agreement = 0.65

  private struct Edge {
    let surface: CarriedSurface
    /// Cells to the first reading beyond, and to the first that is not mixed.
    let first: Int
    var clear: Int
    /// Inverse depth there, NaN where there is none.
    var beyond: Double
    var isRaised: Bool
    /// Whether there is no reading where the object may continue.
    let isUnread: Bool
    /// The mask's edge, in cells outwards.
    var maskEdge: Double?
  }

  init(_ grid: SurfaceGrid, _ object: ObjectCells, _ links: SurfaceLinks) {
    let cells = object.cells
    var edges: [Edge] = []
    var border = Set(grid.cut(cells.members, rows: Self.cutRows))
    for cell in cells.members {
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
        if grid.isMasked(grid.place(cell)) {
          let places = (0..<Self.probes * edge.clear).map { (Double($0) + 0.5) / Double(Self.probes) }
          edge.maskEdge = places.firstIndex {
            !grid.isMasked(grid.place(cell, steps: $0, dx, dy))
          }.map { Double($0) / Double(Self.probes) }
        }
        edges.append(edge)
      }
    }
    cuts = border.map { border in
      let next = grid.place(border.cell, steps: 1, border.dx, border.dy)
      let step = grid.ray(next) - grid.ray(grid.place(border.cell))
      let surface = CarriedSurface(grid, cells, border.cell, border.dx, border.dy)
      return Cut(
        point: surface.point(0), outward: Self.level(step), rises: CarriedSurface.rises(surface.outward))
    }
    let clear = edges.filter { edge in
      let meters = 1 / edge.beyond
      let surface = 1 / max(edge.surface.inverse(Double(edge.first)), 1e-6)
      return meters - surface > (6 * grid.noise + 1.5 * grid.pitch) * meters
    }
    let agreeing = clear.count { edge in edge.maskEdge.map { $0 <= Double(edge.first) + 0.01 } ?? false }
    maskIsExact = clear.count > 5 && Double(agreeing) > Self.agreement * Double(clear.count)
    for edge in edges {
      if let sample = Self.sample(edge, grid, maskIsExact: maskIsExact) {
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

  /// Whether the mask continues over more cells without a reading than its error, and ends there.
  private static func goesOn(
    _ grid: SurfaceGrid, _ cells: CellSet, _ cell: Int, _ dx: Int, _ dy: Int
  ) -> Bool {
    var unread = 0
    var place = step(from: cell, dx, dy, in: cells)
    while let next = place, grid.coverage[next] > 0.5 {
      guard grid.inverse[next].isNaN else { return false }
      unread += 1
      place = step(from: next, dx, dy, in: cells)
    }
    return unread > unreadEdge
  }

  /// Nil where the sensor's field ends before there is a reading.
  private static func edge(
    _ grid: SurfaceGrid, _ object: ObjectCells, _ links: SurfaceLinks, cell: Int, _ dx: Int, _ dy: Int
  ) -> Edge? {
    let cells = object.cells
    let carried = CarriedSurface(grid, cells, cell, dx, dy)
    var distance = 0
    var place: Int? = cell
    func advance() {
      place = place.flatMap { step(from: $0, dx, dy, in: cells) }
      distance += 1
    }
    repeat {
      advance()
      guard place != nil else { return nil }
    } while distance <= farthest && place.map { grid.inverse[$0].isNaN } ?? false
    guard let found = place, distance <= farthest else {
      while distance < shadow, place.map({ grid.inverse[$0].isNaN }) ?? false { advance() }
      // The surface may lead away: what is nearer than its end is nearer for certain.
      let surface = max(carried.inverse(Double(distance)), carried.inverse(0))
      let isHidden =
        place.map { object.raised[$0] && isNearer(grid.inverse[$0], than: surface, grid) } ?? false
      return Edge(
        surface: carried, first: farthest + 1, clear: farthest + 1, beyond: .nan, isRaised: true,
        isUnread: isHidden || !grid.isRead[cell] || goesOn(grid, cells, cell, dx, dy))
    }
    var edge = Edge(
      surface: carried, first: distance, clear: distance, beyond: grid.inverse[found],
      isRaised: object.raised[found], isUnread: !grid.isRead[cell])
    // A cell that is connected to no surface beyond it is mixed: the edge lies before the next one.
    let surface = carried.inverse(Double(distance))
    if surface > 0, let next = step(from: found, dx, dy, in: cells), !grid.inverse[next].isNaN,
      grid.meters(next) - 1 / surface > (6 * grid.noise + 3 * grid.pitch) / surface, !links.joins(found, next)
    {
      edge.clear += 1
      edge.beyond = grid.inverse[next]
      edge.isRaised = object.raised[found]
    }
    return edge
  }

  private static func sample(_ edge: Edge, _ grid: SurfaceGrid, maskIsExact: Bool) -> Sample? {
    // Where an exact mask extends past the next cell, that cell sees another face of the object.
    if maskIsExact, !edge.isUnread {
      guard let masked = edge.maskEdge, masked <= Double(edge.first) + 0.01 else { return nil }
    }
    let surface = edge.surface
    let beyond = kind(edge, grid)
    var place = Double(edge.clear) / 2
    var interval = Double(edge.clear)
    if let masked = edge.maskEdge, maskIsExact || beyond == .touching {
      place = masked
      interval = maskIsExact ? 1 / Double(probes) : 1
    }
    return Sample(
      point: surface.point(place),
      interval: surface.point(place + interval / 2) - surface.point(place - interval / 2),
      outward: surface.outward, beyond: beyond, line: surface.line)
  }

  private static func kind(_ edge: Edge, _ grid: SurfaceGrid) -> Beyond {
    guard !edge.isUnread else { return .unread }
    guard !edge.beyond.isNaN else { return .dark }
    let inverse = edge.surface.inverse(Double(edge.clear))
    let meters = 1 / edge.beyond
    let gap = meters - 1 / max(inverse, 1e-6)
    let (noise, cell) = (grid.noise * meters, grid.pitch * meters)
    if !edge.isRaised && gap < 6 * noise + 1.5 * cell { return .support }
    if isNearer(edge.beyond, than: inverse, grid) { return .occluder }
    return gap < 4 * noise + 0.5 * cell ? .touching : .behind
  }

  /// Whether a reading's inverse depth is of something nearer than the surface's.
  private static func isNearer(_ reading: Double, than surface: Double, _ grid: SurfaceGrid) -> Bool {
    let meters = 1 / reading
    return meters - 1 / max(surface, 1e-6) < -(6 * grid.noise + 3 * grid.alike.correlated + 0.5 * grid.pitch)
      * meters
  }
}
