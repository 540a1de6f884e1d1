#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A box in the world with vertical sides, turned about +y only.
public struct Box3D: Sendable, Equatable {
  /// How a box was found.
  public enum Method: String, Sendable, CaseIterable {
    /// The sides at which the object's surface ends, on the plane that it stands on.
    case surfaces
    /// The rectangle of least area around the points' footprint.
    case minimumArea = "minarea"
    /// The principal axes of the footprint.
    case principalAxes = "pca"
    /// The corners of the detection's box at the median depth and its center at the least and greatest.
    case sixPoint = "sixpoint"
  }

  /// No side is shorter than this, meters.
  public static let smallestSide = 0.02

  /// The box's middle.
  public let center: Point3<World>
  /// Sides along the box's own x, y and z axes, meters.
  public let dimensions: BoxDimensions
  /// The turn about +y, radians: the box's x axis is (cos yaw, 0, -sin yaw), its z axis (sin yaw, 0, cos yaw).
  public let yaw: Double
  /// How it was found.
  public let method: Method

  /// A box; sides below `smallestSide` are raised to it.
  public init(center: Point3<World>, dimensions: BoxDimensions, yaw: Double, method: Method) {
    self.center = center
    self.dimensions = BoxDimensions(
      x: max(dimensions.x, Self.smallestSide), y: max(dimensions.y, Self.smallestSide),
      z: max(dimensions.z, Self.smallestSide))
    self.yaw = yaw
    self.method = method
  }

  /// Whether place, sides and turn are numbers.
  package var isFinite: Bool {
    [center.x, center.y, center.z, dimensions.x, dimensions.y, dimensions.z, yaw].allSatisfy(\.isFinite)
  }

  /// The turn about +y.
  public var rotation: Quaternion { Quaternion(yaw: yaw) }
  /// The direction of the box's x axis.
  public var xAxis: Vector3<World> { Vector3(cos(yaw), 0, -sin(yaw)) }
  /// The direction of the box's z axis.
  public var zAxis: Vector3<World> { Vector3(sin(yaw), 0, cos(yaw)) }

  /// The middle of the lower face.
  public var bottomCenter: Point3<World> { Point3(center.x, center.y - dimensions.y / 2, center.z) }

  /// Whether a point lies in the box enlarged by `margin` meters to each side.
  public func contains(_ point: Point3<World>, margin: Double = 0) -> Bool {
    let d = point - center
    return abs(d.dot(xAxis)) <= dimensions.x / 2 + margin && abs(d.y) <= dimensions.y / 2 + margin
      && abs(d.dot(zAxis)) <= dimensions.z / 2 + margin
  }

  /// The eight corners: 0 to 3 below in the order (-x, -z), (+x, -z), (+x, +z), (-x, +z), 4 to 7 above them.
  public var corners: [Point3<World>] {
    let halfX = xAxis * (dimensions.x / 2)
    let halfZ = zAxis * (dimensions.z / 2)
    return [-1.0, 1].flatMap { level in
      [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { signs in
        center + halfX * signs.0 + Vector3(0, level * dimensions.y / 2, 0) + halfZ * signs.1
      }
    }
  }

  /// The twelve edges as pairs of corners: lower face, upper face, uprights.
  public static let edges: [(Int, Int)] = [
    (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7),
  ]

  /// The edges as a camera sees them; an edge with a corner behind the camera is left out.
  public func projectedEdges(
    intrinsics: Intrinsics, cameraToWorld: RigidTransform<CameraARKit, World>
  ) -> [(Point2<ImagePixels>, Point2<ImagePixels>)] {
    let worldToCamera = cameraToWorld.inverse
    let seen = corners.map { intrinsics.project(worldToCamera.apply($0)) }
    return Self.edges.compactMap { edge in
      guard let a = seen[edge.0], let b = seen[edge.1] else { return nil }
      return (a, b)
    }
  }
}

/// The sides of a box along its own axes, meters.
public struct BoxDimensions: Sendable, Equatable {
  /// Width.
  public var x: Double
  /// Height.
  public var y: Double
  /// Depth.
  public var z: Double

  /// Sides along x, y and z.
  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}
