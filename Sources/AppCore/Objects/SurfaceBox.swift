import Glibc
import Geometry

/// How a side of a box is known.
public enum SideEvidence: String, Sendable, CaseIterable {
  /// The object was seen to end there.
  case observed
  /// The object goes on unseen, or may: what is seen of it ends there.
  case inferred
  /// The surface on which the object stands.
  case floor
}

/// How the six faces of a box are known, along the box's own axes.
public struct BoxSides: Sendable, Equatable {
  /// The face at the box's least x.
  public var minX: SideEvidence
  /// The face at the box's greatest x.
  public var maxX: SideEvidence
  /// The lower face.
  public var minY: SideEvidence
  /// The upper face.
  public var maxY: SideEvidence
  /// The face at the box's least z.
  public var minZ: SideEvidence
  /// The face at the box's greatest z.
  public var maxZ: SideEvidence
}

/// The gravity-aligned box around an object's surface.
struct SurfaceBox {
  let box: Box3D
  let sides: BoxSides
  /// Standard error of each side over the side, the largest of those observed.
  let uncertainty: Double
  let isRound: Bool
  /// Whether readings are left that no solid explains.
  let isIrregular: Bool
  let isCut: Bool
  let isOccluded: Bool

  init(_ grid: SurfaceGrid, _ object: ObjectCells, _ outline: Outline, room: RoomDirections?) {
    let surface = object.cells.members.map { BoxSpot(grid, cell: $0) }
    // An exact mask says where the object ends; else what is not read is the best that is known.
    let hidden: [Outline.Beyond] = outline.maskIsExact ? [.occluder, .unread] : [.occluder]
    let edges = outline.samples.filter { !hidden.contains($0.beyond) }.map { BoxSpot($0, grid) }
    let occluders = outline.samples.filter { $0.beyond == .occluder }.map(\.point)
    let search = UprightSearch(
      surface: surface, edges: edges, room: room, camera: grid.camera, cell: grid.pitch)
    let found = search.turns()
    var sides = search.sides(at: found.turn, surface)
    let up = Vector3<World>(0, 1, 0)
    let upper = surface + edges.filter { [.behind, .dark, .unread].contains($0.sample?.beyond) }
    let width = quantile(surface.map { $0.deviation(along: up) }, 0.5)
    var top = SideEstimate(SpotPositions(upper, along: up), width: width, reach: 1.5)
    var turn = found.turn
    var topError = top.standardError
    let facing = found.isRound ? sides : search.sides(at: found.facing, surface)
    let circle = CircleFit.circle(through: Self.mantle(surface, object.support), near: PlanCircle(facing))
    let fit = object.support.flatMap { support in
      SolidFit(
        SolidReadings(grid, object, support: support, maskIsExact: outline.maskIsExact),
        boxes: found.likely.map {
          let ends = search.sides(at: $0, surface).map(\.estimate.position)
          return FittedBox(turn: $0, reaches: ends, top: top.position)
        },
        cylinder: FittedCylinder(circle ?? PlanCircle(facing), turn: found.facing, top: top.position),
        isRound: found.isRound)
    }
    let cell = grid.cellWidth(at: object.cells.members)
    let seen = fit.map { search.sides(at: $0.turn, surface) } ?? sides
    let unread = seen.indices.filter { search.goesOn(seen, $0, outline.samples, cell: cell) }
    let seenTop = top.position
    isRound = fit?.isRound ?? found.isRound
    isIrregular = fit?.isIrregular ?? true
    if let fit {
      turn = fit.turn
      sides = seen
      if fit.isRound, !Self.showsBack(sides) { sides[0].evidence = .inferred }
      for index in sides.indices {
        sides[index].estimate = sides[index].estimate.moved(to: fit.reaches[index])
        // A mask's error is alike all along its edge.
        let least = search.isDark(seen, index, outline.samples, cell: cell) ? seen[index].estimate.spread : 0
        sides[index].error = max(fit.errors[index], least)
      }
      top = top.moved(to: fit.top)
      topError = max(topError, fit.topError)
    } else {
      let circle = found.isRound ? circle : nil
      let errors =
        circle == nil ? search.errors(of: sides, at: turn) : sides.map(\.estimate.standardError)
      for index in sides.indices { sides[index].error = errors[index] }
      if isRound {
        Self.completeRound(&sides, circle, from: grid.camera)
      } else if outline.maskIsExact {
        let edgeOn = EdgeOnFaces(surface: surface, samples: outline.samples, camera: grid.camera)
        for index in sides.indices {
          if let position = edgeOn.position(sides[index]) {
            sides[index].estimate = sides[index].estimate.moved(to: position)
          }
        }
      }
    }
    for index in sides.indices where sides[index].isHidden && sides[index].evidence == .observed {
      sides[index].evidence = search.evidence(sides[index])
    }
    let isCutAside = search.cut(&sides, by: outline.cuts, cell: cell)
    // A few cells may be mistaken for something nearer.
    let hasOccluders = 10 * occluders.count > outline.samples.count
    let isOccludedAside = hasOccluders && search.hidden(&sides, by: occluders, cell: cell)

    for index in unread { sides[index].evidence = .inferred }

    let uprights = Self.upright(sides, turn: turn)
    let bottom =
      object.support.map { $0.height(under: uprights.middle) }
      ?? -SideEstimate(SpotPositions(surface + edges, along: -up), width: search.width(-up)).position
    box = uprights.box(from: bottom, to: top.position)
    let hiddenTop = search.hiddenTop(
      outline, at: seenTop, above: bottom, cell: cell, hasOccluders: hasOccluders)
    isCut = isCutAside || hiddenTop.isCut
    isOccluded = isOccludedAside || hiddenTop.isOccluded
    self.sides = BoxSides(
      minX: uprights.faces[1].evidence, maxX: uprights.faces[0].evidence,
      minY: object.support == nil ? .inferred : .floor, maxY: hiddenTop.isUnseen ? .inferred : .observed,
      minZ: uprights.faces[3].evidence, maxZ: uprights.faces[2].evidence)
    func error(_ pair: ArraySlice<UprightSide>, _ length: Double) -> Double {
      guard pair.allSatisfy({ $0.evidence == .observed }) else { return 0 }
      return pair.reduce(0) { $0 + $1.error * $1.error }.squareRoot() / max(length, 1e-3)
    }
    let upright = hiddenTop.isUnseen ? 0 : topError + (object.support == nil ? top.spread : 0)
    uncertainty = max(
      error(uprights.faces[..<2], uprights.sizeX), error(uprights.faces[2...], uprights.sizeZ),
      upright / max(top.position - bottom, 1e-3))
  }

  /// The box around points seen from many sides, gathered in cells of width `cell`, from the height `bottom` up.
  static func around(_ points: [Point3<World>], cell: Double, bottom: Double) -> Box3D {
    let deviation = cell / 12.0.squareRoot()
    let spots = points.map { BoxSpot(point: $0, least: deviation) }
    let search = UprightSearch(surface: spots, edges: [], camera: nil, cell: cell)
    let found = search.turns()
    let top = SideEstimate(SpotPositions(spots, along: Vector3(0, 1, 0)), width: deviation, reach: 1.5)
    return upright(search.sides(at: found.turn, spots), turn: found.turn).box(from: bottom, to: top.position)
  }

  /// The four upright sides in the box's own axes.
  private struct UprightSides {
    let middle: Point3<World>
    let theta: Double
    let sizeX: Double
    let sizeZ: Double
    /// At the greatest and least x, then z.
    let faces: [UprightSide]

    func box(from bottom: Double, to top: Double) -> Box3D {
      Box3D(
        center: Point3(middle.x, (bottom + top) / 2, middle.z),
        dimensions: BoxDimensions(x: sizeX, y: top - bottom, z: sizeZ), yaw: -theta, method: .surfaces)
    }
  }

  private static func upright(_ sides: [UprightSide], turn: Double) -> UprightSides {
    let (c, s) = (cos(turn), sin(turn))
    let along = (sides[0].estimate.position - sides[1].estimate.position) / 2
    let across = (sides[2].estimate.position - sides[3].estimate.position) / 2
    let middle = Point3<World>(c * along - s * across, 0, s * along + c * across)
    let lengths = (
      x: sides[0].estimate.position + sides[1].estimate.position,
      z: sides[2].estimate.position + sides[3].estimate.position
    )
    // The longer side lies along x; a quarter turn on, x points where z did, and z against x.
    let isTurned = lengths.x < lengths.z
    var theta = turn + (isTurned ? .pi / 2 : 0)
    var faces = isTurned ? [sides[2], sides[3], sides[1], sides[0]] : sides
    while theta > .pi / 2 || theta <= -.pi / 2 {
      theta += theta > 0 ? -.pi : .pi
      faces = [faces[1], faces[0], faces[3], faces[2]]
    }
    return UprightSides(
      middle: middle, theta: theta, sizeX: max(lengths.x, lengths.z), sizeZ: min(lengths.x, lengths.z),
      faces: faces)
  }
}

extension SideEstimate {
  /// The standard error of the position.
  var standardError: Double { spread / Double(max(count, 1)).squareRoot() }

  func moved(to position: Double) -> SideEstimate {
    SideEstimate(position: position, spread: spread, count: count)
  }

  private init(position: Double, spread: Double, count: Int) {
    self.position = position
    self.spread = spread
    self.count = count
  }
}
