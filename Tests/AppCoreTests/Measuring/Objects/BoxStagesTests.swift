import AppCore
import Foundation
import Geometry
import Testing

/// Each stage in which a box is found, by itself: a box of 0.6 x 0.4 x 0.3 m about (0, 0.15, -2), turned by 0.3.
@Suite struct BoxStagesTests {
  static let turn = 0.3
  static let (long, wide, top) = (0.3, 0.2, 0.3)
  static let middle = Point3<World>(0, 0, -2)
  static let rounding = 1e-12

  static let along = Vector3<World>(cos(turn), 0, sin(turn))
  static let across = Vector3<World>(-sin(turn), 0, cos(turn))

  /// Points of its top and of the two faces that a camera at the origin sees.
  static let surface: [BoxSpot] = {
    var points: [Point3<World>] = []
    for step in 0...60 {
      let share = Double(step) / 60
      let (a, b) = (along * ((2 * share - 1) * long), across * ((2 * share - 1) * wide))
      for level in 0...12 {
        let up = Vector3<World>(0, top * Double(level) / 12, 0)
        points.append(middle + a + across * wide + up)
        points.append(middle + b + along * long + up)
      }
    }
    return points.map { BoxSpot(point: $0, least: 0.002) }
  }()
  static let search = UprightSearch(surface: surface, edges: [], camera: Point3(0, 0.6, 0), cell: 0.003)

  static func side(_ direction: Vector3<World>, _ reach: Double, isHidden: Bool = false) -> UprightSide {
    UprightSide(
      direction: direction, isHidden: isHidden,
      estimate: SideEstimate(
        position: (middle - .origin).dot(direction) + reach, spread: 0.01, count: 100))
  }

  /// The faces as they are, the far ones hidden.
  static var faces: BoxFaces {
    BoxFaces(
      turn: turn,
      sides: [
        side(along, long), side(-along, long, isHidden: true), side(across, wide),
        side(-across, wide, isHidden: true),
      ], top: SideEstimate(position: top, spread: 0.01, count: 100))
  }

  @Test func theTurnIsThatOfTheFaces() {
    let found = Self.search.turns()
    #expect(!found.isRound)
    #expect(abs(found.turn - Self.turn) < 0.01, "\(found.turn)")
    #expect(found.best == found.turn)
  }

  @Test func sidesLieWhereTheSurfaceEnds() {
    let sides = Self.search.sides(at: Self.turn, Self.surface)
    for (found, exact) in zip(sides, Self.faces.sides) {
      #expect(found.direction == exact.direction && found.isHidden == exact.isHidden)
      // A side that is not seen ends at the last column of points, which lie 10 mm apart.
      #expect(abs(found.estimate.position - exact.estimate.position) < (found.isHidden ? 0.01 : 0.004))
      #expect(found.evidence == .observed)
    }
  }

  @Test func aSolidMovesFacesAndItsErrorsCount() {
    let reaches = Self.faces.sides.map { $0.estimate.position + 0.02 }
    let solid = SolidFit(
      isRound: false, turn: Self.turn, reaches: reaches, errors: [0.001, 0.002, 0.003, 0.004], top: 0.31,
      topError: 0.0005)
    let settled = Self.faces.settled(by: solid, dark: [2], showsEnds: false)
    #expect(settled.sides.map(\.estimate.position) == reaches)
    // No error of a side that the mask alone places is less than the spread of its ends, none of a far side less than half of
    // what its ends and the solid differ by.
    let expected = [0.001, hypot(0.002, 0.01), 0.01, hypot(0.004, 0.01)]
    for (side, error) in zip(settled.sides, expected) { #expect(abs(side.error - error) < Self.rounding) }
    #expect(settled.top.position == 0.31 && settled.top.spread == 0.01)
    #expect(settled.topError == Self.faces.topError && Self.faces.topError == 0.001)
    #expect(settled.sides.allSatisfy { $0.evidence == .observed })
    let sharp = Self.faces.settled(by: solid, dark: [2], showsEnds: true)
    #expect(
      sharp.sides.map(\.error) == [0.001, 0.002, 0.01, 0.004], "sharp steps show their ends to the solid too")
  }

  /// Seen less deep than wide, a round object's back is not seen.
  @Test func aRoundSolidHidesItsBack() {
    var flat = Self.faces
    flat.sides[0].estimate = Self.side(Self.along, -0.1).estimate
    func settled(_ faces: BoxFaces) -> [SideEvidence] {
      let solid = SolidFit(
        isRound: true, turn: Self.turn, reaches: faces.sides.map(\.estimate.position),
        errors: [0, 0, 0, 0], top: Self.top, topError: 0)
      return faces.settled(by: solid, dark: [], showsEnds: false).sides.map(\.evidence)
    }
    #expect(settled(flat) == [.inferred, .observed, .observed, .observed])
    #expect(settled(Self.faces) == [.observed, .observed, .observed, .observed])
  }

  /// Where no solid says that it is a circle, a round object ends between what is seen of it and its width.
  @Test func aBackThatIsOnlyTakenForRoundIsUncertain() {
    var flat = Self.faces
    flat.sides[0].estimate = Self.side(Self.along, -0.1).estimate
    let completed = flat.completed(
      round: nil, errors: { sides, _ in sides.map { _ in 0 } }, from: Point3(0, 0.6, 0), showsEnds: false)
    #expect(completed.sides[0].evidence == .inferred)
    // Seen .2 m deep, .4 m wide.
    #expect(abs(completed.sides[0].unseen - 0.5 / 3.0.squareRoot()) < Self.rounding)
    // Nothing says that it is as wide everywhere.
    let least = 0.4 * UprightSide.mostUnseen / 2 - Self.rounding
    #expect(completed.sides.allSatisfy { $0.error >= least })
  }

  @Test func onlyHiddenSidesAreJudged() {
    let judged = Self.faces.judged { _ in .inferred }
    #expect(judged.sides.map(\.evidence) == [.observed, .inferred, .observed, .inferred])
    // No end of the surface leads to the far sides.
    let found = Self.faces.judged(by: Self.search.evidence)
    #expect(found.sides.map(\.evidence) == judged.sides.map(\.evidence))
    #expect(judged.sides.map(\.estimate) == Self.faces.sides.map(\.estimate))
  }

  /// A far side that the camera would see move is known to the cells within which ends are seen.
  @Test func aFarSideThatIsShownIsBounded() {
    let judged = Self.faces.judged { _ in .inferred }
    func unseen(_ doubt: Double) -> [Double] {
      judged.bounded(
        where: [true, true, true, false], by: doubt, pitch: 1.0 / 210, from: Point3(0, 0.9, 0)
      ).sides.map(\.unseen)
    }
    let most = UprightSide.mostUnseen
    let (bounded, coarse) = (unseen(1.3), unseen(2.6))
    #expect(bounded[0] == most && bounded[2] == most && bounded[3] == most)
    #expect(bounded[1] < 0.05, "\(bounded[1])")
    #expect(abs(coarse[1] - 2 * bounded[1]) < Self.rounding)
    #expect(unseen(1000)[1] == most)
  }

  /// Something nearer at a side, however little, may hide what would show that it ends there.
  @Test func whatIsNearerAtASideIsMet() {
    let end = Self.middle + Self.along * -Self.long
    let nearer = (0..<4).map { _ in end }
    let met = (0..<4).map { Self.search.meets(nearer, Self.faces.sides, $0, cell: 0.006) }
    #expect(met == [false, true, false, false])
    #expect(!Self.search.meets(Array(nearer.prefix(3)), Self.faces.sides, 1, cell: 0.006), "strays")
  }

  @Test func aTopIsRaisedOnly() {
    var faces = Self.faces
    faces.raiseTop(to: Self.top - 0.1)
    #expect(faces.top.position == Self.top)
    faces.raiseTop(to: Self.top + 0.1)
    #expect(faces.top.position == Self.top + 0.1)
  }

  @Test func whatCutsASideOffMakesItInferred() {
    let end = Self.middle + Self.along * Self.long
    let cuts = (0..<4).map { _ in Outline.Cut(point: end, outward: Self.along, rises: false) }
    var sides = Self.faces.sides
    #expect(Self.search.cut(&sides, by: cuts, cell: 0.006))
    #expect(sides.map(\.evidence) == [.inferred, .observed, .observed, .observed])
    sides = Self.faces.sides
    #expect(!Self.search.cut(&sides, by: Array(cuts.prefix(3)), cell: 0.006))
    #expect(sides.allSatisfy { $0.evidence == .observed })
    #expect(Self.search.hidden(&sides, by: cuts.map(\.point), cell: 0.006))
    #expect(sides[0].evidence == .inferred && sides[1].evidence == .observed)
  }

  @Test func aBoxHasItsFacesInItsOwnAxes() {
    let made = Self.faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(abs(made.box.dimensions.x - 0.6) < Self.rounding)
    #expect(abs(made.box.dimensions.z - 0.4) < Self.rounding)
    #expect(made.box.dimensions.y == 0.3 && made.box.yaw == -Self.turn)
    #expect(made.box.center.distance(to: Self.middle + Vector3(0, 0.15, 0)) < Self.rounding)
    #expect(made.sides.minY == .floor && made.sides.maxY == .observed)
    #expect(abs(made.sideErrors.y - 0.001) < Self.rounding)
    let open = Self.faces.judged { _ in .inferred }.box(from: 0, isSupported: false, isTopSeen: false)
    #expect(open.sides.minY == .inferred && open.sides.maxY == .inferred)
    #expect(open.sideErrors.x > 0.149 * 0.6 && open.sideErrors.y > 0.149 * 0.3, "it may extend unseen")
    #expect(open.box == made.box)
  }

  /// A turn that is no likelier than others may be any.
  @Test func aTurnThatIsNotKnownMayBeAny() {
    var faces = Self.faces
    for side in faces.sides.indices { faces.sides[side].error = 0.001 }
    #expect(faces.box(from: 0, isSupported: true, isTopSeen: true).yawError < 0.02)
    faces.isTurnKnown = false
    let made = faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(made.yawError == BoxFaces.anyTurn)
    #expect(BoxErrors.deviations * made.yawError > .pi / 4, "the interval holds every turn")
  }

  /// A face that is seen alone says nothing of how deep an object is: it may be as deep as it is wide.
  @Test func aDepthThatIsNotSeenMayBeTheWidth() {
    var faces = Self.faces
    faces.sides[3].estimate = Self.side(-Self.across, -0.1).estimate
    faces.sides[3].evidence = .inferred
    // .6 m wide, seen .1 m deep.
    let made = faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(abs(made.unseen.z - 0.5) < Self.rounding && made.unseen.x == 0)
    faces.sides[3].unseen = 0.05
    let bounded = faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(abs(bounded.unseen.z - 0.05 * 0.1) < Self.rounding, "its end is shown")
    // To the end of what has no length nothing leads.
    faces.sides[3].estimate = Self.side(-Self.across, -0.2).estimate
    let flat = faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(abs(flat.unseen.z - 0.6) < Self.rounding)
    // Nearly as deep as it is wide, it is known to the usual share.
    faces.sides[3] = Self.side(-Self.across, 0.39, isHidden: true)
    faces.sides[3].evidence = .inferred
    let square = faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(abs(square.unseen.z - UprightSide.mostUnseen * 0.59) < Self.rounding)
  }

  /// The longer side lies along x, whatever the turn: faces, evidence and all.
  @Test(arguments: [0.3, 0.3 + .pi / 2, 0.3 - .pi, 2.0])
  func theLongerSideLiesAlongX(turn: Double) {
    let (c, s) = (cos(turn), sin(turn))
    let directions: [Vector3<World>] = [
      Vector3(c, 0, s), Vector3(-c, 0, -s), Vector3(-s, 0, c), Vector3(s, 0, -c),
    ]
    var sides = zip(directions, [0.1, 0.1, 0.25, 0.25]).map { Self.side($0, $1) }
    sides[2].evidence = .inferred
    let faces = BoxFaces(turn: turn, sides: sides, top: Self.faces.top)
    let made = faces.box(from: 0, isSupported: true, isTopSeen: true)
    #expect(made.box.dimensions.x > made.box.dimensions.z)
    let ends = [made.sides.minX, made.sides.maxX]
    #expect(ends.count { $0 == .inferred } == 1)
    #expect(made.sides.minZ == .observed && made.sides.maxZ == .observed)
    // The inferred face is the one whose middle is farthest along the second direction.
    let axis = Vector3<World>(cos(-made.box.yaw), 0, sin(-made.box.yaw))
    #expect((made.sides.maxX == .inferred) == (axis.dot(directions[2]) > 0))
    #expect((-Double.pi / 2...Double.pi / 2).contains(made.box.yaw))
  }
}
