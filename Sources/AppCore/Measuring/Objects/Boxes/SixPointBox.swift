import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Box3D {
  /// A box from little depth: the four corners of a detection's box at depth `meters`, and its center at the least
  /// and the greatest depth of `range`; nil without intrinsics.
  ///
  /// Width and height come from the corners alone, depth from all six points, in a basis turned to the camera's
  /// horizontal viewing direction.
  init?(sixPoints box: Rect<ImagePixels>, meters: Double, range: ClosedRange<Double>, in scene: DepthScene) {
    let corners = [
      Point2<ImagePixels>(box.minX, box.minY), Point2(box.maxX, box.minY), Point2(box.maxX, box.maxY),
      Point2(box.minX, box.maxY),
    ].compactMap { scene.world($0, meters: meters) }
    let middles = [range.lowerBound, range.upperBound].compactMap { scene.world(box.center, meters: $0) }
    guard corners.count == 4, middles.count == 2 else { return nil }

    let up = Vector3<World>(0, 1, 0)
    let forward = scene.horizontalForward
    let right = forward.cross(up)
    func extent(_ points: [Point3<World>], along axis: Vector3<World>) -> (middle: Double, size: Double) {
      let positions = points.map { ($0 - .origin).dot(axis) }
      let least = positions.reduce(.infinity) { min($0, $1) }
      let greatest = positions.reduce(-.infinity) { max($0, $1) }
      return ((least + greatest) / 2, greatest - least)
    }
    let across = extent(corners, along: right)
    let upright = extent(corners, along: up)
    let along = extent(corners + middles, along: forward)
    self.init(
      center: .origin + right * across.middle + up * upright.middle + forward * along.middle,
      dimensions: BoxDimensions(x: across.size, y: upright.size, z: along.size),
      yaw: atan2(forward.x, forward.z), method: .sixPoint)
  }
}

extension DepthScene {
  /// Horizontal directions shorter than this are rounding.
  static let shortestHorizontal = 1e-6

  /// Whether the camera looks so straight up or down that its direction has no horizontal part.
  var looksVertically: Bool {
    let forward = cameraToWorld.forward
    return Vector3<World>(forward.x, 0, forward.z).length < Self.shortestHorizontal
  }

  /// The horizontal unit direction in which the camera looks; for one that looks straight down or up, the
  /// direction to which the top of the upright picture points.
  var horizontalForward: Vector3<World> {
    let direction = looksVertically ? cameraToWorld.apply(orientation.top) : cameraToWorld.forward
    return Vector3(direction.x, 0, direction.z).normalized() ?? Vector3(0, 0, -1)
  }
}

extension Orientation {
  /// Where the top of the upright picture lies, seen from the camera.
  fileprivate var top: Vector3<CameraARKit> {
    switch self {
    case .up, .upMirrored: Vector3(0, 1, 0)
    case .down, .downMirrored: Vector3(0, -1, 0)
    case .right, .leftMirrored: Vector3(-1, 0, 0)
    case .left, .rightMirrored: Vector3(1, 0, 0)
    }
  }
}
