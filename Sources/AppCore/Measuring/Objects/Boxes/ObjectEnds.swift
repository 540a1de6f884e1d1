import Geometry

/// Where an object's surface is and where it ends: what a box is made of.
struct ObjectEnds {
  /// An object is partly hidden where more than one in this many places of its outline has something nearer before
  /// it: a few cells may be mistaken.
  private static let leastOccluded = 10

  let surface: [BoxSpot]
  /// The ends of the surface.
  let edges: [BoxSpot]
  /// Where something nearer hides its end.
  let occluders: [Point3<World>]
  /// Whether those are believed.
  let hasOccluders: Bool
  /// Where the object extends beyond the picture or the sensor's field.
  let cuts: [Outline.Cut]
  /// A cell's width at the object, meters.
  let cell: Double
  let search: UprightSearch

  init(_ grid: SurfaceGrid, _ object: ObjectCells, _ outline: Outline, room: RoomDirections?) {
    surface = object.cells.members.map { BoxSpot(grid, cell: $0) }
    // An exact mask says where the object ends; else what is not read is the best that is known.
    let hidden: [Outline.Beyond] = outline.maskIsExact ? [.occluder, .unread] : [.occluder]
    edges = outline.samples.filter { !hidden.contains($0.beyond) }.map { BoxSpot($0, grid) }
    occluders = outline.samples.filter { $0.beyond == .occluder }.map(\.point)
    hasOccluders = Self.leastOccluded * occluders.count > outline.samples.count
    cuts = outline.cuts
    cell = grid.cellWidth(at: object.cells.members)
    search = UprightSearch(
      surface: surface, edges: edges, room: room, camera: grid.camera, cell: grid.pitch)
  }

  /// The upper end; its ends before something on the same level say nothing of it.
  func top() -> SideEstimate {
    let up = Vector3<World>(0, 1, 0)
    let upper = edges.filter { [.behind, .dark, .unread].contains($0.sample?.beyond) }
    let within = SpotPlaces(surface, along: up)
    let width = quantile(within.deviations, 0.5)
    return SideEstimate(SpotPositions(within + SpotPlaces(upper, along: up)), width: width, reach: 1.5)
  }

  /// The ends of the surface at a top.
  func rim(below top: Double) -> [BoxSpot] {
    edges.filter {
      abs($0.point.y - top) < 2 * cell && [.behind, .dark, .support].contains($0.sample?.beyond)
    }
  }

  /// The height of the lower end.
  func bottom() -> Double {
    let down = -Vector3<World>(0, 1, 0)
    return -SideEstimate(SpotPositions(surface + edges, along: down), width: search.width(down)).position
  }
}
