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
  /// A horizontal direction of the box, seen from outside.
  private struct Side {
    let direction: Vector3<World>
    let isHidden: Bool
    var estimate: SideEstimate
    var evidence = SideEvidence.observed
  }

  /// A point of the object's surface or outline.
  private struct Spot {
    let point: Point3<World>
    /// Displacement of one standard deviation of depth.
    let noise: Vector3<World>
    /// The outline's own uncertainty, zero within the surface.
    let interval: Vector3<World>
    let sample: Outline.Sample?
    /// No standard deviation is less.
    var least = 2e-4

    func deviation(along direction: Vector3<World>) -> Double {
      let depth = abs(noise.dot(direction))
      guard sample != nil else { return max(depth, least) }
      // Evenly spread over the interval; the surface carried on from three cells has 0.6 of a reading's noise.
      let place = abs(interval.dot(direction)) / 12.0.squareRoot()
      return max(((0.6 * depth) * (0.6 * depth) + place * place).squareRoot(), least)
    }
  }

  /// Points of the surface that take part in the search for the turn.
  private static let searchPoints = 1500
  /// Without a turn at which so many times more points lie on the sides than at most turns, the object is round.
  private static let preference = 1.7
  /// A round object's depth within this share of its width is its width.
  private static let roundness = 0.15
  /// The share of a hidden side's samples at which the surface leads towards it.
  private static let leadingShare = 0.3

  let box: Box3D
  let sides: BoxSides
  /// Standard error of each side over the side, the largest of those observed.
  let uncertainty: Double
  let isRound: Bool
  let isCut: Bool
  let isOccluded: Bool

  init(_ grid: SurfaceGrid, _ object: ObjectCells, _ outline: Outline) {
    let surface = object.cells.members.map { cell in
      Spot(
        point: grid.points[cell], noise: grid.rays[cell] * (grid.noise * grid.meters(cell)),
        interval: Vector3(0, 0, 0), sample: nil)
    }
    let edges = outline.samples.filter { $0.beyond != .occluder }.map { sample in
      Spot(
        point: sample.point, noise: (sample.point - grid.camera) * grid.noise, interval: sample.interval,
        sample: sample)
    }
    let search = Search(surface: surface, edges: edges, camera: grid.camera, cell: grid.pitch)
    let found = search.turn(preference: Self.preference)
    isRound = found.isRound
    var sides = search.sides(at: found.turn, surface)
    if found.isRound { Self.completeRound(&sides) }
    for index in sides.indices where sides[index].isHidden && sides[index].evidence == .observed {
      sides[index].evidence = search.evidence(sides[index])
    }
    let cut = search.hidden(&sides, by: outline.borderPoints)
    let occluders = outline.samples.filter { $0.beyond == .occluder }.map(\.point)
    // A few cells may be mistaken for something nearer.
    isOccluded = 10 * occluders.count > outline.samples.count && search.hidden(&sides, by: occluders)
    isCut = cut

    let up = Vector3<World>(0, 1, 0)
    let upper = surface + edges.filter { $0.sample?.beyond == .behind }
    let width = quantile(surface.map { $0.deviation(along: up) }, 0.5)
    let top = SideEstimate(Search.values(upper, up), width: width, reach: 1.5)
    let uprights = Self.upright(sides, turn: found.turn)
    let bottom =
      object.support.map { $0.height(under: uprights.middle) }
      ?? -SideEstimate(Search.values(surface + edges, -up), width: search.width(-up)).position
    box = uprights.box(from: bottom, to: top.position)
    self.sides = BoxSides(
      minX: uprights.faces[1].evidence, maxX: uprights.faces[0].evidence,
      minY: object.support == nil ? .inferred : .floor, maxY: .observed,
      minZ: uprights.faces[3].evidence, maxZ: uprights.faces[2].evidence)
    func error(_ pair: ArraySlice<Side>, _ length: Double) -> Double {
      guard pair.allSatisfy({ $0.evidence == .observed }) else { return 0 }
      return pair.reduce(0) { $0 + $1.estimate.standardError } / max(length, 1e-3)
    }
    let upright = top.standardError + (object.support == nil ? top.spread : 0)
    uncertainty = max(
      error(uprights.faces[..<2], uprights.sizeX), error(uprights.faces[2...], uprights.sizeZ),
      upright / max(top.position - bottom, 1e-3))
  }

  /// The box around points seen from many sides, gathered in cells of width `cell`, from the height `bottom` up.
  static func around(_ points: [Point3<World>], cell: Double, bottom: Double) -> Box3D {
    let deviation = cell / 12.0.squareRoot()
    let spots = points.map {
      Spot(point: $0, noise: Vector3(0, 0, 0), interval: Vector3(0, 0, 0), sample: nil, least: deviation)
    }
    let search = Search(surface: spots, edges: [], camera: nil, cell: cell)
    let found = search.turn(preference: preference)
    let top = SideEstimate(Search.values(spots, Vector3(0, 1, 0)), width: deviation, reach: 1.5)
    return upright(search.sides(at: found.turn, spots), turn: found.turn).box(from: bottom, to: top.position)
  }

  /// The four upright sides in the box's own axes.
  private struct UprightSides {
    let middle: Point3<World>
    let theta: Double
    let sizeX: Double
    let sizeZ: Double
    /// At the greatest and least x, then z.
    let faces: [Side]

    func box(from bottom: Double, to top: Double) -> Box3D {
      Box3D(
        center: Point3(middle.x, (bottom + top) / 2, middle.z),
        dimensions: BoxDimensions(x: sizeX, y: top - bottom, z: sizeZ), yaw: -theta, method: .surfaces)
    }
  }

  private static func upright(_ sides: [Side], turn: Double) -> UprightSides {
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

  /// A round object is as deep as it is wide: its back, seen at a grazing angle or not at all, follows from its sides.
  private static func completeRound(_ sides: inout [Side]) {
    let depth = sides[0].estimate.position + sides[1].estimate.position
    let width = sides[2].estimate.position + sides[3].estimate.position
    guard depth < (1 + roundness) * width else { return }
    sides[0].estimate = sides[0].estimate.moved(to: width - sides[1].estimate.position)
    if depth < (1 - roundness) * width { sides[0].evidence = .inferred }
  }

  /// The search for the turn about the vertical and for the four upright sides.
  private struct Search {
    private let sample: [Spot]
    private let edges: [Spot]
    private let view: Vector3<World>
    private let cellWidth: Double

    /// - Parameters:
    ///   - camera: Where all was seen from; nil for points seen from many sides.
    ///   - cell: Width of a cell 1 m away, or without a camera that of all cells, metres.
    init(surface: [Spot], edges: [Spot], camera: Point3<World>?, cell: Double) {
      let step = max(1, surface.count / SurfaceBox.searchPoints)
      sample = stride(from: 0, to: surface.count, by: step).map { surface[$0] }
      self.edges = edges
      let middle = Point3<World>(
        quantile(surface.map(\.point.x), 0.5), quantile(surface.map(\.point.y), 0.5),
        quantile(surface.map(\.point.z), 0.5))
      let towards = camera.map { middle - $0 }
      view = towards.flatMap { Vector3($0.x, 0, $0.z).normalized() } ?? Vector3(0, 0, 0)
      // Planar depth is not known here: the distance is near enough.
      cellWidth = cell * (towards?.length ?? 1)
    }

    static func values(_ spots: [Spot], _ direction: Vector3<World>) -> [(
      position: Double, deviation: Double
    )] {
      spots.map { (($0.point - .origin).dot(direction), $0.deviation(along: direction)) }
    }

    /// The usual standard deviation of an end in a direction.
    func width(_ direction: Vector3<World>) -> Double {
      let spots = edges.isEmpty ? sample : edges
      return max(quantile(spots.map { $0.deviation(along: direction) }, 0.5), 0.4 * cellWidth)
    }

    /// The samples of the outline that place an end well: not those of a face that is seen edge-on.
    private func informative(_ direction: Vector3<World>) -> [Spot] {
      let deviations = edges.map { $0.deviation(along: direction) }
      let limit = max(3 * quantile(deviations, 0.25), 0.5 * cellWidth)
      let kept = zip(edges, deviations).filter { $0.1 <= limit }.map(\.0)
      return kept.count >= 8 ? kept : edges
    }

    func sides(at turn: Double, _ surface: [Spot]) -> [Side] {
      let (c, s) = (cos(turn), sin(turn))
      return [Vector3<World>(c, 0, s), Vector3(-c, 0, -s), Vector3(-s, 0, c), Vector3(s, 0, -c)].map {
        direction in
        // Of a side that faces away nothing is seen but its outline.
        let isHidden = view.dot(direction) > 0.05
        let ends = informative(direction)
        let spots = isHidden && ends.count >= 8 ? ends : surface + ends
        return Side(
          direction: direction, isHidden: isHidden,
          estimate: SideEstimate(Self.values(spots, direction), width: width(direction)))
      }
    }

    /// How many points lie on the sides (closeness criterion, Zhang, Xu, Dong and Dolan, IV 2017).
    private func closeness(_ turn: Double) -> Double {
      sides(at: turn, sample).reduce(0) { sum, side in
        Self.values(sample + edges, side.direction).reduce(sum) { sum, value in
          let apart = (value.position - side.estimate.position) / max(value.deviation, 0.0015)
          return apart * apart > 40 ? sum : sum + exp(-apart * apart / 2)
        }
      }
    }

    /// The turn, from world x towards world z, at which most points lie on the sides.
    func turn(preference: Double) -> (turn: Double, isRound: Bool) {
      let degree = Double.pi / 180
      let coarse = (0..<90).map { closeness(Double($0) * degree) }
      let best = coarse.indices.max { coarse[$0] < coarse[$1] } ?? 0
      guard coarse[best] >= preference * quantile(coarse, 0.5) else {
        return (atan2(view.z, view.x), true)
      }
      var turn = Double(best) * degree
      for step in [1.0 / 3, 0.1, 0.03] {
        let near = (-3...3).map { turn + Double($0) * step * degree }
        let scores = near.map(closeness)
        turn = near[scores.indices.max { scores[$0] < scores[$1] } ?? 3]
      }
      for _ in 0..<4 { turn += correction(turn) }
      return (turn, false)
    }

    /// The least-squares change of the turn over the points that lie on the sides.
    private func correction(_ turn: Double) -> Double {
      var (slope, weight) = (0.0, 0.0)
      for side in sides(at: turn, sample) {
        let turned = Vector3<World>(-side.direction.z, 0, side.direction.x)
        let members = (sample + edges).compactMap { spot -> (along: Double, off: Double, weight: Double)? in
          let deviation = spot.deviation(along: side.direction)
          let off = (spot.point - .origin).dot(side.direction) - side.estimate.position
          guard abs(off) < 2.5 * deviation else { return nil }
          return ((spot.point - .origin).dot(turned), off, 1 / (deviation * deviation))
        }
        guard members.count >= 6 else { continue }
        let along = members.reduce(0) { $0 + $1.along } / Double(members.count)
        let off = members.reduce(0) { $0 + $1.off } / Double(members.count)
        for member in members {
          slope += member.weight * (member.along - along) * (member.off - off)
          weight += member.weight * (member.along - along) * (member.along - along)
        }
      }
      return weight > 0 ? min(max(-slope / weight, -0.01), 0.01) : 0
    }

    /// A hidden side is observed where the surface leads towards it and ends.
    func evidence(_ side: Side) -> SideEvidence {
      let reach = 2.5 * max(side.estimate.spread, width(side.direction))
      let there = edges.filter {
        abs(($0.point - .origin).dot(side.direction) - side.estimate.position) < reach
      }
      let leading = there.count { spot in
        guard let outward = spot.sample?.outward.normalized() else { return false }
        return outward.dot(side.direction) > 0.3
      }
      return leading >= 4 && Double(leading) >= SurfaceBox.leadingShare * Double(there.count)
        ? .observed : .inferred
    }

    /// Marks the sides at which any of `points` lie as inferred; whether there are any.
    func hidden(_ sides: inout [Side], by points: [Point3<World>]) -> Bool {
      var isAny = false
      for index in sides.indices {
        let opposite = sides[index ^ 1].estimate.position
        let length = sides[index].estimate.position + opposite
        let there = points.count {
          ($0 - .origin).dot(sides[index].direction) > sides[index].estimate.position - 0.05 * length
        }
        if there >= 4 {
          sides[index].evidence = .inferred
          isAny = true
        }
      }
      return isAny
    }
  }
}

extension SideEstimate {
  /// The standard error of the position.
  var standardError: Double { spread / Double(max(count, 1)).squareRoot() }

  fileprivate func moved(to position: Double) -> SideEstimate {
    SideEstimate(position: position, spread: spread, count: count)
  }

  private init(position: Double, spread: Double, count: Int) {
    self.position = position
    self.spread = spread
    self.count = count
  }
}
