/// A position in a planar frame.
public struct Point2<Frame: PlanarFrame>: Hashable, Sendable {
  /// The horizontal coordinate.
  public var x: Double
  /// The vertical coordinate.
  public var y: Double

  /// The point (x, y).
  @inlinable
  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  /// The center of a whole pixel or cell of a frame that counts by edges.
  @inlinable
  public init(centerOf column: Int, _ row: Int) { self.init(Double(column) + 0.5, Double(row) + 0.5) }

  /// The point that lies `column`, `row` from the center of the first cell, as intrinsics and interpolation count.
  @inlinable
  public init(fromFirstCenter column: Double, _ row: Double) { self.init(column + 0.5, row + 0.5) }

  /// The coordinates as counted from the center of the first cell.
  @inlinable
  public var fromFirstCenter: (x: Double, y: Double) { (x - 0.5, y - 0.5) }

  /// Whether both coordinates are finite.
  @inlinable public var isFinite: Bool { x.isFinite && y.isFinite }

  /// The same numbers in another frame, without a conversion: the caller asserts that they hold there.
  @inlinable
  public func relabeled<Other: PlanarFrame>(as frame: Other.Type = Other.self) -> Point2<Other> {
    Point2<Other>(x, y)
  }

  /// The displacement from `rhs` to `lhs`.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Vector2<Frame> {
    Vector2(lhs.x - rhs.x, lhs.y - rhs.y)
  }

  /// The point displaced by a vector.
  @inlinable
  public static func + (lhs: Self, rhs: Vector2<Frame>) -> Self {
    Point2(lhs.x + rhs.x, lhs.y + rhs.y)
  }
}

/// A displacement in a planar frame.
public struct Vector2<Frame: PlanarFrame>: Hashable, Sendable {
  /// The horizontal coordinate.
  public var x: Double
  /// The vertical coordinate.
  public var y: Double

  /// The displacement (x, y).
  @inlinable
  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  /// Euclidean length.
  @inlinable public var length: Double { (x * x + y * y).squareRoot() }
}
