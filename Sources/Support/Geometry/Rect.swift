/// An axis-aligned rectangle [minX, maxX) x [minY, maxY) in a planar frame.
public struct Rect<Frame: PlanarFrame>: Hashable, Sendable {
  /// The least x.
  public var minX: Double
  /// The least y.
  public var minY: Double
  /// The greatest x.
  public var maxX: Double
  /// The greatest y.
  public var maxY: Double

  /// A rectangle from its edges; edges in the wrong order make an empty rectangle.
  @inlinable
  public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
    self.minX = minX
    self.minY = minY
    self.maxX = maxX
    self.maxY = maxY
  }

  /// A rectangle from its corner of least coordinates and its sides.
  @inlinable
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(minX: x, minY: y, maxX: x + width, maxY: y + height)
  }

  /// The smallest rectangle with both points on its border.
  @inlinable
  public init(_ a: Point2<Frame>, _ b: Point2<Frame>) {
    self.init(minX: min(a.x, b.x), minY: min(a.y, b.y), maxX: max(a.x, b.x), maxY: max(a.y, b.y))
  }

  /// The horizontal side.
  @inlinable public var width: Double { maxX - minX }
  /// The vertical side.
  @inlinable public var height: Double { maxY - minY }
  /// The midpoint.
  @inlinable public var center: Point2<Frame> { Point2((minX + maxX) / 2, (minY + maxY) / 2) }

  /// Whether no point lies inside; a rectangle with a NaN edge is empty.
  @inlinable public var isEmpty: Bool { !(minX < maxX && minY < maxY) }

  /// Whether all four edges are finite.
  @inlinable public var isFinite: Bool {
    minX.isFinite && minY.isFinite && maxX.isFinite && maxY.isFinite
  }

  /// Area; 0 if empty.
  @inlinable public var area: Double { isEmpty ? 0 : width * height }

  /// Half-open containment: the least edges belong to the rectangle, the greatest do not.
  @inlinable
  public func contains(_ point: Point2<Frame>) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  /// The common part; empty if there is none.
  @inlinable
  public func intersection(_ other: Self) -> Self {
    Rect(
      minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX),
      maxY: min(maxY, other.maxY))
  }

  /// Intersection over union; 0 if the union is empty.
  @inlinable
  public func intersectionOverUnion(_ other: Self) -> Double {
    let common = intersection(other).area
    let union = area + other.area - common
    return union > 0 ? common / union : 0
  }

  /// Every edge moved outward by `margin`, inward where that is negative.
  @inlinable
  package func grown(by margin: Double) -> Self {
    Rect(minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin)
  }

  /// Every edge moved into `bounds`.
  @inlinable
  public func clipped(to bounds: Self) -> Self {
    Rect(
      minX: min(max(minX, bounds.minX), bounds.maxX), minY: min(max(minY, bounds.minY), bounds.maxY),
      maxX: min(max(maxX, bounds.minX), bounds.maxX), maxY: min(max(maxY, bounds.minY), bounds.maxY))
  }

  /// The same numbers in another frame, without a conversion: the caller asserts that they hold there.
  @inlinable
  public func relabeled<Other: PlanarFrame>(as frame: Other.Type = Other.self) -> Rect<Other> {
    Rect<Other>(minX: minX, minY: minY, maxX: maxX, maxY: maxY)
  }
}
