import Geometry

/// How the faces of a box that one frame measured err, each by itself and all together.
///
/// A box's errors are of its lengths and its center. Faces that err by e and f give a length that errs by the root of
/// e^2 + f^2; what displaces the whole box is in its center alone.
struct ViewErrors {
  /// No face is known better, meters.
  private static let least = 1e-3

  /// Variances of the box's sides, without what all lengths share.
  let wholes: BoxDimensions
  /// Variances of the faces at either end of the box's x, y and z.
  let faces: BoxDimensions
  /// Variances of the displacement of all faces along the world's axes.
  let displacement: Vector3<World>
  /// Relative standard deviation that all lengths share.
  let scale: Double
  /// Variance of the yaw; nil of a round object.
  let yaw: Double?

  init(_ errors: BoxErrors, of box: Box3D, sides: BoxSides) {
    let size = box.dimensions
    scale = errors.scale
    yaw = errors.yaw
    /// The variance of a length without what all lengths share, and what of it is the faces' that were seen.
    func own(_ side: KeyPath<BoxDimensions, Double>, _ ends: [SideEvidence]) -> (whole: Double, seen: Double)
    {
      let (error, length) = (errors.dimensions[keyPath: side], size[keyPath: side])
      let whole = max(0, error * error - errors.scale * errors.scale * length * length)
      let most = Double(ends.count { $0 == .inferred }).squareRoot() * UprightSide.mostUnseen * length
      let unseen = errors.unseen?[keyPath: side] ?? most
      return (whole, max(0, whole - unseen * unseen))
    }
    let x = own(\.x, [sides.minX, sides.maxX])
    let y = own(\.y, [sides.minY == .inferred || sides.maxY == .inferred ? .inferred : .observed])
    let z = own(\.z, [sides.minZ, sides.maxZ])
    wholes = BoxDimensions(x: x.whole, y: y.whole, z: z.whole)
    /// One face's part of a pair's variance: half of it where both faces were seen, all where one was.
    func face(_ seen: Double, _ ends: [SideEvidence]) -> Double {
      let share = ends.contains(.inferred) ? 1.0 : 0.5
      return max(share * seen, Self.least * Self.least)
    }
    faces = BoxDimensions(
      x: face(x.seen, [sides.minX, sides.maxX]), y: max(y.seen, Self.least * Self.least),
      z: face(z.seen, [sides.minZ, sides.maxZ]))
    let (along, across) = (box.xAxis, box.zAxis)
    func rest(_ error: Double, _ a: Double, _ b: Double, _ up: Double) -> Double {
      max(0, error * error - (a * a * x.whole + b * b * z.whole + up * y.whole) / 4)
    }
    displacement = Vector3(
      rest(errors.center.x, along.x, across.x, 0), rest(errors.center.y, 0, 0, 1),
      rest(errors.center.z, along.z, across.z, 0))
  }

  /// Variance of the box's side that lies along a direction.
  func side(along direction: Vector3<World>, of box: Box3D) -> Double {
    if abs(direction.y) > 0.5 { return wholes.y }
    return abs(direction.dot(box.xAxis)) > abs(direction.dot(box.zAxis)) ? wholes.x : wholes.z
  }

  /// Variance of the displacement along a direction.
  func displacement(along direction: Vector3<World>) -> Double {
    let d = direction
    return d.x * d.x * displacement.x + d.y * d.y * displacement.y + d.z * d.z * displacement.z
  }
}
