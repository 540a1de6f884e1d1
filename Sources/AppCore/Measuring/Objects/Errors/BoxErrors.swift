import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How far a box's numbers may be from the truth, as standard deviations over repeated captures.
///
/// They hold what the object's readings show, what neighborhoods and whole frames err by (`SensorErrors`), and for an inferred
/// side that the object may extend unseen.
public struct BoxErrors: Sendable, Equatable {
  /// Standard deviations to either side that hold the truth 95 times in 100: by Student's distribution of 20 degrees of
  /// freedom, since an object covers few neighborhoods.
  public static let deviations = 2.09
  /// A side of which more is in doubt, as a share of it, was not seen to end.
  static let doubtful = 0.1
  /// An interval that reaches farther to either side, as a share of the side, is worth a warning; so is that of a yaw, in
  /// radians, since a face's end moves by this share of the face with it.
  static let wide = 0.15

  /// Errors of the sides, meters.
  public let dimensions: BoxDimensions
  /// Errors of the center along the world's axes, meters.
  public let center: Vector3<World>
  /// Error of the yaw, radians; nil for a round object, whose yaw depends on the view.
  public let yaw: Double?
  /// Relative error of all of a frame's lengths, which its sides share.
  let scale: Double
  /// The part of the sides' errors by which the object may extend unseen, meters; nil where a file does not tell it.
  var unseen: BoxDimensions?

  /// Relative error of the product of some sides.
  func relative(_ sides: [KeyPath<BoxDimensions, Double>], of box: Box3D) -> Double {
    let own = sides.reduce(0) { sum, side in
      let length = box.dimensions[keyPath: side]
      let all = dimensions[keyPath: side] / length
      return sum + max(0, all * all - scale * scale)
    }
    let shared = Double(sides.count) * scale
    return (own + shared * shared).squareRoot()
  }

  /// Whether the interval of a side is wide, as that of a side of no length or of no known error is.
  func isWide(_ side: KeyPath<BoxDimensions, Double>, of box: Box3D) -> Bool {
    !(Self.deviations * dimensions[keyPath: side] < Self.wide * box.dimensions[keyPath: side])
  }

  /// Whether the interval of the yaw is wide; never of a round object.
  var isYawWide: Bool { yaw.map { !(Self.deviations * $0 < Self.wide) } ?? false }

  /// Relative error of the volume.
  public func ofVolume(_ box: Box3D) -> Double { relative([\.x, \.y, \.z], of: box) }

  /// Relative error of the floor area.
  public func ofFloorArea(_ box: Box3D) -> Double { relative([\.x, \.z], of: box) }
}

extension BoxSides {
  /// The same, of which no side is observed that is too short for the sensor to tell its length.
  func doubted(_ errors: BoxErrors, of box: Box3D) -> BoxSides {
    func isDoubtful(_ side: KeyPath<BoxDimensions, Double>) -> Bool {
      errors.dimensions[keyPath: side] > BoxErrors.doubtful * box.dimensions[keyPath: side]
    }
    func doubted(_ evidence: SideEvidence) -> SideEvidence { evidence == .observed ? .inferred : evidence }
    var sides = self
    if isDoubtful(\.x) { (sides.minX, sides.maxX) = (doubted(minX), doubted(maxX)) }
    if isDoubtful(\.y) { sides.maxY = doubted(maxY) }
    if isDoubtful(\.z) { (sides.minZ, sides.maxZ) = (doubted(minZ), doubted(maxZ)) }
    return sides
  }
}

extension BoxErrors {
  /// The errors of a box that was made of faces in whose errors what neighbors share counts.
  init(_ box: Box3D, of made: BoxFaces.Made, isRound: Bool, shared: SharedErrors) {
    let scale = shared.ofLengths
    func whole(_ own: Double, _ length: Double) -> Double { hypot(own, scale * length) }
    let (own, size) = (made.sideErrors, box.dimensions)
    let reach = shared.reach * shared.ofDistance
    func place(_ x: Double, _ y: Double, _ z: Double, _ along: Double) -> Double {
      (x * x + y * y + z * z + along * along).squareRoot()
    }
    let (ex, ey, ez) = (own.x / 2, own.y / 2, own.z / 2)
    let (x, z) = (box.xAxis, box.zAxis)
    self.init(
      dimensions: BoxDimensions(x: whole(own.x, size.x), y: whole(own.y, size.y), z: whole(own.z, size.z)),
      center: Vector3(
        place(x.x * ex, 0, z.x * ez, reach.x), place(0, ey, 0, reach.y), place(x.z * ex, 0, z.z * ez, reach.z)
      ),
      yaw: isRound ? nil : made.yawError, scale: scale, unseen: made.unseen)
  }
}
