/// The half-pixel map between cell centers of two grids that cover the same picture.
///
/// Cell i of `source` cells lies at j = (i + 0.5) * target / source - 0.5 among `target` cells, clamped to
/// the outermost centers.
public struct GridMapping: Hashable, Sendable {
  /// Target cells per source cell.
  public let ratio: Double
  /// The last target cell.
  public let last: Double

  /// The map from an axis of `source` cells to one of `target` cells.
  @inlinable
  public init(from source: Int, to target: Int) {
    precondition(source > 0 && target > 0, "grids have at least one cell")
    ratio = Double(target) / Double(source)
    last = Double(target - 1)
  }

  /// The target position of source position `i`.
  @inlinable
  public func callAsFunction(_ i: Double) -> Double {
    min(max((i + 0.5) * ratio - 0.5, 0), last)
  }

  /// The target position of source cell `i`.
  @inlinable
  public func callAsFunction(_ i: Int) -> Double { self(Double(i)) }
}
