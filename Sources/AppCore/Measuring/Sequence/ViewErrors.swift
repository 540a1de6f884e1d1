import Geometry

/// How the faces of a box that one frame measured err, each by itself and all together.
///
/// A box's errors are of its lengths and its center. Faces that err by e and f give a length that errs by the root of
/// e^2 + f^2; what displaces the whole box is in its center alone.
struct ViewErrors {
  /// No face is known better, meters.
  private static let least = 1e-3

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
    func own(_ error: Double, _ length: Double, _ ends: [SideEvidence]) -> (whole: Double, seen: Double) {
      let whole = max(0, error * error - errors.scale * errors.scale * length * length)
      let unseen =
        Double(ends.count { $0 == .inferred }) * (BoxFaces.unseen * length) * (BoxFaces.unseen * length)
      return (whole, max(0, whole - unseen))
    }
    let x = own(errors.dimensions.x, size.x, [sides.minX, sides.maxX])
    let y = own(
      errors.dimensions.y, size.y,
      [sides.minY == .inferred || sides.maxY == .inferred ? .inferred : .observed])
    let z = own(errors.dimensions.z, size.z, [sides.minZ, sides.maxZ])
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

  /// Variance of the displacement along a direction.
  func displacement(along direction: Vector3<World>) -> Double {
    let d = direction
    return d.x * d.x * displacement.x + d.y * d.y * displacement.y + d.z * d.z * displacement.z
  }
}
