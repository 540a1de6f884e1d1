/// A rotation and translation that takes points of one spatial frame to another.
///
/// The rotation is orthonormal with determinant +1 by construction, so the inverse is the transpose.
public struct RigidTransform<From: SpatialFrame, To: SpatialFrame>: Hashable, Sendable {
  /// How far rotation columns may be from orthonormal before a matrix is refused.
  public static var orthonormalTolerance: Double { 1e-3 }

  /// The direction of `From`'s x axis, seen in `To`.
  public let xAxis: Vector3<To>
  /// The direction of `From`'s y axis, seen in `To`.
  public let yAxis: Vector3<To>
  /// The direction of `From`'s z axis, seen in `To`.
  public let zAxis: Vector3<To>
  /// The place of `From`'s origin, seen in `To`.
  public let origin: Point3<To>

  @usableFromInline
  init(unchecked xAxis: Vector3<To>, _ yAxis: Vector3<To>, _ zAxis: Vector3<To>, origin: Point3<To>) {
    self.xAxis = xAxis
    self.yAxis = yAxis
    self.zAxis = zAxis
    self.origin = origin
  }

  /// The transform with `From`'s origin at `origin` and its axes turned by `rotation`.
  public init(rotation: Quaternion, origin: Point3<To>) {
    self.init(
      unchecked: rotation.rotate(Vector3(1, 0, 0)), rotation.rotate(Vector3(0, 1, 0)),
      rotation.rotate(Vector3(0, 0, 1)), origin: origin)
  }

  /// The transform that changes no number.
  public static var identity: Self {
    RigidTransform(
      unchecked: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1), origin: .origin)
  }

  /// A transform from the 16 elements of a 4x4 matrix in column-major order.
  ///
  /// Columns within `orthonormalTolerance` of orthonormal are made exactly so (printed poses are rounded).
  /// - Throws: `GeometryError` if elements are missing, not finite, not affine or not a rotation.
  public init(columnMajor m: [Double]) throws(GeometryError) {
    guard m.count == 16 else { throw .badElementCount(expected: 16, found: m.count) }
    guard m.allSatisfy(\.isFinite) else { throw .notFinite }
    let tolerance = Self.orthonormalTolerance
    guard abs(m[3]) <= tolerance, abs(m[7]) <= tolerance, abs(m[11]) <= tolerance, abs(m[15] - 1) <= tolerance
    else { throw .notAffine }
    let x = Vector3<To>(m[0], m[1], m[2])
    let y = Vector3<To>(m[4], m[5], m[6])
    let z = Vector3<To>(m[8], m[9], m[10])
    let deviation = max(
      abs(x.dot(x) - 1), abs(y.dot(y) - 1), abs(z.dot(z) - 1), abs(x.dot(y)), abs(y.dot(z)), abs(z.dot(x)),
      abs(x.cross(y).dot(z) - 1))
    guard deviation <= tolerance, let unitX = x.normalized(),
      let unitY = (y - unitX * unitX.dot(y)).normalized()
    else { throw .notRigid(deviation: deviation) }
    self.init(unchecked: unitX, unitY, unitX.cross(unitY), origin: Point3(m[12], m[13], m[14]))
  }

  /// A transform from the 16 elements of a 4x4 matrix in row-major order.
  ///
  /// - Throws: as `init(columnMajor:)`.
  public init(rowMajor m: [Double]) throws(GeometryError) {
    guard m.count == 16 else { throw .badElementCount(expected: 16, found: m.count) }
    try self.init(columnMajor: (0..<16).map { m[($0 % 4) * 4 + $0 / 4] })
  }

  /// The 4x4 matrix, column after column.
  public var columnMajor: [Double] {
    [
      xAxis.x, xAxis.y, xAxis.z, 0, yAxis.x, yAxis.y, yAxis.z, 0, zAxis.x, zAxis.y, zAxis.z, 0, origin.x,
      origin.y, origin.z, 1,
    ]
  }

  /// The rotation part.
  public var rotation: Quaternion { Quaternion(columns: xAxis, yAxis, zAxis) }

  /// The point in `To`.
  @inlinable
  public func apply(_ p: Point3<From>) -> Point3<To> {
    Point3(
      xAxis.x * p.x + yAxis.x * p.y + zAxis.x * p.z + origin.x,
      xAxis.y * p.x + yAxis.y * p.y + zAxis.y * p.z + origin.y,
      xAxis.z * p.x + yAxis.z * p.y + zAxis.z * p.z + origin.z)
  }

  /// The direction in `To`: turned, not moved.
  @inlinable
  public func apply(_ v: Vector3<From>) -> Vector3<To> {
    Vector3(
      xAxis.x * v.x + yAxis.x * v.y + zAxis.x * v.z, xAxis.y * v.x + yAxis.y * v.y + zAxis.y * v.z,
      xAxis.z * v.x + yAxis.z * v.y + zAxis.z * v.z)
  }

  /// The way back.
  public var inverse: RigidTransform<To, From> {
    let toOrigin = Vector3<To>(origin.x, origin.y, origin.z)
    return RigidTransform<To, From>(
      unchecked: Vector3(xAxis.x, yAxis.x, zAxis.x), Vector3(xAxis.y, yAxis.y, zAxis.y),
      Vector3(xAxis.z, yAxis.z, zAxis.z),
      origin: Point3(-xAxis.dot(toOrigin), -yAxis.dot(toOrigin), -zAxis.dot(toOrigin)))
  }

  /// The transform that first does `earlier`, then this one.
  public func after<Earlier>(_ earlier: RigidTransform<Earlier, From>) -> RigidTransform<Earlier, To> {
    RigidTransform<Earlier, To>(
      unchecked: apply(earlier.xAxis), apply(earlier.yAxis), apply(earlier.zAxis),
      origin: apply(earlier.origin))
  }
}

extension RigidTransform where From == CameraARKit {
  /// The direction the camera looks along, seen in `To`.
  public var forward: Vector3<To> { -zAxis }
}
