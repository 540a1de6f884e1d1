import AppCore
import Geometry
import Imaging

/// A camera that moves through an empty room of known size: what every layout has to tell again.
enum RoomScene {
  static let pictureSize = PixelSize(width: 64, height: 48)
  static let depthSize = PixelSize(width: 32, height: 24)

  /// Half the room's extents, meters.
  private static let half = Vector3<World>(3, 1.5, 4)

  /// Pixel-center convention, for the picture.
  static func intrinsics() throws -> Intrinsics {
    try Intrinsics(fx: 50, fy: 51, cx: 32.5, cy: 22.5, imageWidth: 64, imageHeight: 48)
  }

  /// Camera-to-world: two shots in landscape, one upright, turned and moved about all axes.
  static func poses() throws -> [RigidTransform<CameraARKit, World>] {
    let pitch = try turn(Vector3(1, 0, 0), -0.25)
    let roll = try turn(Vector3(0, 0, 1), 0.1)
    let upright = try turn(Vector3(0, 0, 1), -1.5)
    return [
      RigidTransform(rotation: Quaternion(yaw: 0.4) * pitch * roll, origin: Point3(0.3, -0.2, 0.5)),
      RigidTransform(rotation: Quaternion(yaw: 0.6) * pitch, origin: Point3(0.5, 0.1, 0.3)),
      RigidTransform(rotation: Quaternion(yaw: 0.3) * upright, origin: Point3(0.1, 0, 0.2)),
    ]
  }

  /// How gravity turns the pictures of `poses` upright.
  static let orientations: [Orientation] = [.up, .up, .right]

  private static func turn(_ axis: Vector3<World>, _ angle: Double) throws -> Quaternion {
    guard let quaternion = Quaternion(axis: axis, angle: angle) else { throw GeometryError.notFinite }
    return quaternion
  }

  /// Planar depth of the walls in whole units of 1/`unitsPerMeter` meters.
  static func depth(
    from pose: RigidTransform<CameraARKit, World>, size: PixelSize, unitsPerMeter: Double = 1000
  ) throws -> Plane<UInt16> {
    let camera = try intrinsics().scaled(to: size)
    var units: [UInt16] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let cell = Point2<ImagePixels>(Double(x) + 0.5, Double(y) + 0.5)
        let seen = camera.unproject(cell, depth: 1)
        let ray = pose.apply(Vector3<CameraARKit>(seen.x, seen.y, seen.z))
        let walls = [
          (ray.x, pose.origin.x, half.x), (ray.y, pose.origin.y, half.y), (ray.z, pose.origin.z, half.z),
        ]
        let nearest = walls.map { ray, from, half in ((ray > 0 ? half : -half) - from) / ray }.min() ?? 0
        units.append(UInt16((nearest * unitsPerMeter).rounded()))
      }
    }
    return Plane(width: size.width, height: size.height, elements: units)
  }

  /// Levels 0, 1, 2 in turn, high for most cells, as `scale` stores them.
  static func confidence(size: PixelSize, scale: [UInt8] = [0, 1, 2]) -> Plane<UInt8> {
    let cells = (0..<size.width * size.height).map { scale[$0 % 7 == 0 ? 0 : $0 % 7 == 1 ? 1 : 2] }
    return Plane(width: size.width, height: size.height, elements: cells)
  }
}
