/// A position in a spatial frame, meters.
public struct Point3<Frame: SpatialFrame>: Hashable, Sendable {
  /// The first coordinate, meters.
  public var x: Double
  /// The second coordinate, meters.
  public var y: Double
  /// The third coordinate, meters.
  public var z: Double

  /// The point (x, y, z).
  @inlinable
  public init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The frame's origin.
  @inlinable public static var origin: Self { Point3(0, 0, 0) }

  /// Whether all coordinates are finite.
  @inlinable public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

  /// The displacement from `rhs` to `lhs`.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Vector3<Frame> {
    Vector3(lhs.x - rhs.x, lhs.y - rhs.y, lhs.z - rhs.z)
  }

  /// The point displaced by a vector.
  @inlinable
  public static func + (lhs: Self, rhs: Vector3<Frame>) -> Self {
    Point3(lhs.x + rhs.x, lhs.y + rhs.y, lhs.z + rhs.z)
  }

  /// Euclidean distance.
  @inlinable
  public func distance(to other: Self) -> Double { (self - other).length }
}

/// A displacement or direction in a spatial frame, meters.
public struct Vector3<Frame: SpatialFrame>: Hashable, Sendable {
  /// The first coordinate, meters.
  public var x: Double
  /// The second coordinate, meters.
  public var y: Double
  /// The third coordinate, meters.
  public var z: Double

  /// The displacement (x, y, z).
  @inlinable
  public init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Euclidean length.
  @inlinable public var length: Double { dot(self).squareRoot() }

  /// Scalar product.
  @inlinable
  public func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

  /// Right-handed vector product.
  @inlinable
  public func cross(_ other: Self) -> Self {
    Vector3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  /// The unit vector of this direction; nil if the length is zero or not finite.
  @inlinable
  public func normalized() -> Self? {
    let length = self.length
    guard length > 0, length.isFinite else { return nil }
    return self * (1 / length)
  }

  /// The sum of two displacements.
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    Vector3(lhs.x + rhs.x, lhs.y + rhs.y, lhs.z + rhs.z)
  }

  /// The difference of two displacements.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    Vector3(lhs.x - rhs.x, lhs.y - rhs.y, lhs.z - rhs.z)
  }

  /// The displacement scaled.
  @inlinable
  public static func * (lhs: Self, rhs: Double) -> Self {
    Vector3(lhs.x * rhs, lhs.y * rhs, lhs.z * rhs)
  }

  /// The opposite displacement.
  @inlinable
  public static prefix func - (vector: Self) -> Self { vector * -1 }
}
