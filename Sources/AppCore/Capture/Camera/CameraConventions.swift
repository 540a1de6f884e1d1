import Geometry

/// The camera frame of computer vision: x right, y down, looking along +z, meters.
enum CameraOpenCV: SpatialFrame {}

/// A world whose +z axis points against gravity, meters.
enum WorldZUp: SpatialFrame {}

/// Turns between the axes that captures store and the project's own.
enum CameraConventions {
  /// The same camera, axes named as ARKit does: half a turn about x.
  static let openCVFromARKit = RigidTransform<CameraARKit, CameraOpenCV>(rotation: halfTurn, origin: .origin)

  /// The same world, +y against gravity: (x, y, z) becomes (x, z, -y).
  static let yUpFromZUp = RigidTransform<WorldZUp, World>(rotation: quarterTurn, origin: .origin)

  /// A world anchored at a camera with y down, set upright: half a turn about x.
  static let yUpFromYDown = RigidTransform<WorldYDown, World>(rotation: halfTurn, origin: .origin)

  private static let halfTurn = aboutX(sine: 1, cosine: 0)
  private static let quarterTurn = aboutX(sine: -0.5.squareRoot(), cosine: 0.5.squareRoot())

  /// A turn about x by the sine and cosine of half its angle.
  private static func aboutX(sine: Double, cosine: Double) -> Quaternion {
    guard let turn = Quaternion(x: sine, y: 0, z: 0, w: cosine) else {
      preconditionFailure("sine and cosine are not both zero")
    }
    return turn
  }
}

extension RigidTransform where From == CameraOpenCV, To: SpatialFrame {
  /// The same pose for a camera with ARKit's axes.
  var ofARKitCamera: RigidTransform<CameraARKit, To> { after(CameraConventions.openCVFromARKit) }
}

extension RigidTransform where From == CameraARKit, To == WorldZUp {
  /// The same pose in a world with +y against gravity.
  var inYUpWorld: RigidTransform<CameraARKit, World> { CameraConventions.yUpFromZUp.after(self) }
}

extension RigidTransform where From == CameraARKit, To == WorldYDown {
  /// The same pose in a world with +y against gravity.
  var inYUpWorld: RigidTransform<CameraARKit, World> { CameraConventions.yUpFromYDown.after(self) }
}

extension Quaternion {
  /// The rotation about an axis by its length in radians.
  init<Frame>(axisAngle: Vector3<Frame>) {
    self = Quaternion(axis: axisAngle, angle: axisAngle.length) ?? .identity
  }
}
