#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A unit quaternion x i + y j + z k + w: a rotation, in the order x, y, z, w that files use.
public struct Quaternion: Hashable, Sendable {
  /// The i component.
  public let x: Double
  /// The j component.
  public let y: Double
  /// The k component.
  public let z: Double
  /// The real component.
  public let w: Double

  /// The rotation that leaves everything in place.
  public static let identity = Quaternion(unit: (0, 0, 0, 1))

  /// The unit quaternion along (x, y, z, w); nil if that is zero or not finite.
  public init?(x: Double, y: Double, z: Double, w: Double) {
    let length = (x * x + y * y + z * z + w * w).squareRoot()
    guard length > 0, length.isFinite else { return nil }
    self.init(unit: (x / length, y / length, z / length, w / length))
  }

  /// A turn by `yaw` radians about +y: +z turns towards +x.
  public init(yaw: Double) {
    self.init(unit: (0, sin(yaw / 2), 0, cos(yaw / 2)))
  }

  /// A right-handed turn by `angle` radians about `axis`; nil if the axis has no direction.
  public init?<Frame>(axis: Vector3<Frame>, angle: Double) {
    guard let unit = axis.normalized(), angle.isFinite else { return nil }
    let s = sin(angle / 2)
    self.init(unit: (unit.x * s, unit.y * s, unit.z * s, cos(angle / 2)))
  }

  init(unit q: (Double, Double, Double, Double)) {
    (x, y, z, w) = q
  }

  /// The rotation of an orthonormal right-handed basis given by its columns (Shepperd's method).
  init<Frame>(columns a: Vector3<Frame>, _ b: Vector3<Frame>, _ c: Vector3<Frame>) {
    let trace = a.x + b.y + c.z
    let q: (Double, Double, Double, Double)
    if trace >= max(a.x, b.y, c.z) {
      q = (b.z - c.y, c.x - a.z, a.y - b.x, 1 + trace)
    } else if a.x >= max(b.y, c.z) {
      q = (1 + a.x - b.y - c.z, a.y + b.x, c.x + a.z, b.z - c.y)
    } else if b.y >= c.z {
      q = (a.y + b.x, 1 - a.x + b.y - c.z, b.z + c.y, c.x - a.z)
    } else {
      q = (c.x + a.z, b.z + c.y, 1 - a.x - b.y + c.z, a.y - b.x)
    }
    self = Quaternion(x: q.0, y: q.1, z: q.2, w: q.3) ?? .identity
  }

  /// The opposite rotation.
  public var inverse: Quaternion { Quaternion(unit: (-x, -y, -z, w)) }

  /// The rotation that first does `rhs`, then `lhs`.
  public static func * (lhs: Quaternion, rhs: Quaternion) -> Quaternion {
    let product = (
      lhs.w * rhs.x + lhs.x * rhs.w + lhs.y * rhs.z - lhs.z * rhs.y,
      lhs.w * rhs.y - lhs.x * rhs.z + lhs.y * rhs.w + lhs.z * rhs.x,
      lhs.w * rhs.z + lhs.x * rhs.y - lhs.y * rhs.x + lhs.z * rhs.w,
      lhs.w * rhs.w - lhs.x * rhs.x - lhs.y * rhs.y - lhs.z * rhs.z
    )
    return Quaternion(x: product.0, y: product.1, z: product.2, w: product.3) ?? .identity
  }

  /// The vector turned by this rotation.
  public func rotate<Frame>(_ v: Vector3<Frame>) -> Vector3<Frame> {
    let u = Vector3<Frame>(x, y, z)
    let t = u.cross(v) * 2
    return v + t * w + u.cross(t)
  }

  /// The four components in file order.
  public var xyzw: [Double] { [x, y, z, w] }
}
