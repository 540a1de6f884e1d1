import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension BoxFaces {
  /// A box in its own axes.
  package struct Made {
    package let box: Box3D
    package let sides: BoxSides
    /// Standard errors of the sides, meters; an inferred one may extend unseen.
    package let sideErrors: BoxDimensions
    /// The part of them by which the object may extend unseen, meters.
    package let unseen: BoxDimensions
    /// Standard error of the yaw, radians.
    package let yawError: Double
  }

  /// Standard deviation of a turn that may be any: a quarter turn, evenly spread.
  package static let anyTurn = .pi / 2 / 12.0.squareRoot()

  /// The middle of the upright faces, at height 0.
  package var middle: Point3<World> {
    let (c, s) = (cos(turn), sin(turn))
    let along = (sides[0].estimate.position - sides[1].estimate.position) / 2
    let across = (sides[2].estimate.position - sides[3].estimate.position) / 2
    return Point3(c * along - s * across, 0, s * along + c * across)
  }

  /// The box of these faces, the longer side along its x.
  ///
  /// - Parameters:
  ///   - bottom: The height of its lower face.
  ///   - isSupported: Whether that is what the object stands on.
  ///   - isTopSeen: Whether the object is seen to end above.
  /// - Returns: The box, how each of its sides is known, and how well.
  package func box(from bottom: Double, isSupported: Bool, isTopSeen: Bool) -> Made {
    let own = inOwnAxes()
    let (middle, faces, top) = (middle, own.faces, top.position)
    let box = Box3D(
      center: Point3(middle.x, (bottom + top) / 2, middle.z),
      dimensions: BoxDimensions(x: own.sizeX, y: top - bottom, z: own.sizeZ), yaw: -own.theta,
      method: .surfaces)
    let evidence = BoxSides(
      minX: faces[1].evidence, maxX: faces[0].evidence, minY: isSupported ? .floor : .inferred,
      maxY: isTopSeen ? .observed : .inferred, minZ: faces[3].evidence, maxZ: faces[2].evidence)
    /// How far the object may extend beyond two faces, meters: of a length to whose end nothing leads, as far as it is
    /// wide.
    func unseen(_ pair: ArraySlice<UprightSide>, _ length: Double, across width: Double) -> Double {
      guard length >= Box3D.smallestSide || !pair.contains(where: { $0.evidence == .inferred }) else {
        return width
      }
      return pair.reduce(0) { hypot($0, $1.evidence == .inferred ? $1.unseen(of: length, across: width) : 0) }
    }
    // A raised top may as well be where the readings end: the interval reaches down to there.
    let upwards = hypot(UprightSide.mostUnseen * (top - bottom), raise / BoxErrors.deviations)
    let beyond = BoxDimensions(
      x: unseen(faces[..<2], own.sizeX, across: own.sizeZ),
      y: isTopSeen && isSupported ? 0 : upwards,
      z: unseen(faces[2...], own.sizeZ, across: own.sizeX))
    /// Standard error of a length between two faces, meters.
    func whole(_ pair: ArraySlice<UprightSide>, _ unseen: Double) -> Double {
      pair.reduce(unseen) { hypot($0, $1.error) }
    }
    /// The information that the visible faces give about the yaw, in 1 / rad^2.
    ///
    /// The slope of a line along a length has sqrt(12) times the error of its mean, over that length.
    func tilts(_ pair: ArraySlice<UprightSide>, across length: Double) -> Double {
      pair.reduce(0) {
        guard !$1.isHidden, $1.error > 0 else { return $0 }
        let tilt = 12.0.squareRoot() * $1.error / max(length, 1e-3)
        return $0 + 1 / (tilt * tilt)
      }
    }
    let known = tilts(faces[..<2], across: own.sizeZ) + tilts(faces[2...], across: own.sizeX)
    return Made(
      box: box, sides: evidence,
      sideErrors: BoxDimensions(
        x: whole(faces[..<2], beyond.x), y: hypot(topError + (isSupported ? 0 : self.top.spread), beyond.y),
        z: whole(faces[2...], beyond.z)),
      unseen: beyond,
      yawError: isTurnKnown ? min(known > 0 ? 1 / known.squareRoot() : .pi / 4, .pi / 4) : Self.anyTurn)
  }

  /// Turn, sides and the upright faces, those at the greatest and least x first, then z.
  private func inOwnAxes() -> (theta: Double, sizeX: Double, sizeZ: Double, faces: [UprightSide]) {
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
    return (theta, max(lengths.x, lengths.z), min(lengths.x, lengths.z), faces)
  }
}
