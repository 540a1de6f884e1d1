import Geometry

/// How a side of a box is known.
public enum SideEvidence: String, Sendable, CaseIterable {
  /// The object was seen to end there.
  case observed
  /// The object extends unseen, or may: its visible part ends there.
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
///
/// It is found in stages, each of what the ones before have found: the turn, the sides at that turn, the solid that explains
/// the readings, how each side is known, where it is cut off or hidden, and the box.
struct SurfaceBox {
  let box: Box3D
  let sides: BoxSides
  /// Standard errors of the box's numbers.
  let errors: BoxErrors
  let isRound: Bool
  /// Whether no solid explains the readings, or they curve away from its faces or leave more than strays unexplained.
  let isIrregular: Bool
  /// The same of a solid, where neighborhoods that err alike may be the cause: the interval says how much it matters.
  let isIncomplete: Bool
  let isCut: Bool
  let isOccluded: Bool

  init(
    _ grid: SurfaceGrid, _ object: ObjectCells, _ outline: Outline, _ links: SurfaceLinks,
    room: RoomDirections?
  ) {
    let ends = ObjectEnds(grid, object, outline, room: room)
    let (search, cell) = (ends.search, ends.cell)
    let turns = search.turns()
    let first = BoxFaces(
      turn: turns.turn, sides: search.sides(at: turns.turn, ends.surface), top: ends.top())

    let facing = turns.isRound ? first.sides : search.sides(at: turns.facing, ends.surface)
    let circle = CircleFit.circle(
      through: Self.mantle(ends.surface, object.support), near: PlanCircle(facing))
    let round =
      turns.isRound
      ? circle ?? CircleFit.circle(through: ends.rim(below: first.top.position), near: PlanCircle(facing))
      : nil
    let fit = object.support.flatMap { support in
      SolidFit(
        SolidReadings(grid, object, links, support: support, maskIsExact: outline.maskIsExact),
        // Made as they are asked for: most objects are the first.
        boxes: (0...turns.others.count).lazy.map { index in
          let turn = index == 0 ? turns.best : search.refined(turns.others[index - 1])
          let reaches = search.sides(at: turn, ends.surface).map(\.estimate.position)
          return FittedBox(turn: turn, reaches: SIMD4(reaches), top: first.top.position)
        },
        cylinder: FittedCylinder(circle ?? PlanCircle(facing), turn: turns.facing, top: first.top.position),
        isRound: turns.isRound)
    }
    isRound = fit?.isRound ?? (round != nil)
    // Of readings that err each by itself, what is left is the object's.
    let leaves = fit?.isIncomplete ?? false
    let isRough = fit?.isIrregular ?? true
    isIncomplete = grid.alike.correlated > 0 && (isRough || leaves)
    isIrregular = fit == nil || !isIncomplete && (isRough || leaves)
    let seen = fit.map {
      BoxFaces(turn: $0.turn, sides: search.sides(at: $0.turn, ends.surface), top: first.top)
    }
    // Without a circle an object that no turn suits better than others is a box whose turn is known badly.
    var boxed = first
    if turns.isRound, round == nil {
      boxed = BoxFaces(turn: turns.best, sides: search.sides(at: turns.best, ends.surface), top: first.top)
      boxed.isTurnKnown = false
    }
    let known = (seen ?? boxed).sides
    let unread = known.indices.filter { search.goesOn(known, $0, outline.samples, cell: cell) }
    let settled: BoxFaces =
      if let fit, let seen {
        seen.settled(
          by: fit,
          dark: Set(known.indices.filter { search.isDark(known, $0, outline.samples, cell: cell) }),
          showsEnds: !grid.blursSteps)
      } else if let round {
        first.completed(
          round: round, errors: search.errors(of:at:), from: grid.camera, showsEnds: !grid.blursSteps)
      } else {
        boxed.completed(
          errors: search.errors(of:at:),
          by: outline.maskIsExact
            ? EdgeOnFaces(surface: ends.surface, samples: outline.samples, camera: grid.camera) : nil,
          showsEnds: !grid.blursSteps)
      }

    let judged = settled.judged(by: search.evidence)
    // Of an object with missing parts, sharp steps show themselves which ends are seen.
    let shown = isIrregular || isRough || fit?.isNotched ?? true && !grid.blursSteps ? nil : fit?.showsEnds
    let bounded = shown.map { shown in
      let isSeen = known.indices.map {
        shown[$0] && !search.meets(ends.occluders, judged.sides, $0, cell: cell)
      }
      return judged.bounded(where: isSeen, by: grid.edgeDoubt, pitch: grid.pitch, from: grid.camera)
    }
    let cut = (bounded ?? judged).cut(ends, search, unread: unread)

    let bottom = object.support.map { $0.height(under: cut.faces.middle) } ?? ends.bottom()
    let hiddenTop = search.hiddenTop(
      outline, at: first.top.position, above: bottom, cell: cell, hasOccluders: ends.hasOccluders,
      goesOn: object.goesOn(grid, above: first.top.position, of: first.top.position - bottom))
    isCut = cut.isCut || hiddenTop.isCut
    isOccluded = cut.isOccluded || hiddenTop.isOccluded
    // What a neighborhood shares moves no upright face: what it errs by cannot be seen in one frame.
    var middle = cut.faces.middle
    middle.y = first.top.position
    let shared = SharedErrors(
      grid, cells: object.cells, middle: middle, misfit: fit.map { max(1, $0.roughness) })
    var faces = cut.faces.sharing(shared)
    if fit != nil, !isRound, !hiddenTop.isUnseen, let support = object.support,
      let height = HeightAcrossOutline(grid, object, support, box: FittedBox(faces))
    {
      faces.placeTop(height, above: bottom, mean: shared.ofMeanHeight)
    }
    // Where the sensor reads nothing of the object, the mask says how far up it extends.
    if hiddenTop.isUnread, let height = object.maskTop(grid, above: first.top.position) {
      faces.raiseTop(to: height)
    }
    let made = faces.box(
      from: bottom, isSupported: object.support != nil, isTopSeen: !hiddenTop.isUnseen)
    box = made.box
    errors = BoxErrors(made.box, of: made, isRound: isRound, shared: shared)
    sides = made.sides.doubted(errors, of: made.box)
  }

  /// The box around points seen from many sides, gathered in cells of width `cell`, from the height `bottom` up.
  static func around(_ points: [Point3<World>], cell: Double, bottom: Double) -> Box3D {
    let deviation = cell / 12.0.squareRoot()
    let spots = points.map { BoxSpot(point: $0, least: deviation) }
    let search = UprightSearch(surface: spots, edges: [], camera: nil, cell: cell)
    let found = search.turns()
    let top = SideEstimate(SpotPositions(spots, along: Vector3(0, 1, 0)), width: deviation, reach: 1.5)
    return BoxFaces(turn: found.turn, sides: search.sides(at: found.turn, spots), top: top)
      .box(from: bottom, isSupported: false, isTopSeen: true).box
  }
}
