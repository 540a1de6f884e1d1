/// How the cells of one axis find their places among those of another that covers the same field.
///
/// Positions count cell centers. By the half-pixel map cell i of `source` cells lies at
/// j = (i + 0.5) * target / source - 0.5 among `target` cells, clamped to the outermost centers.
public struct GridMapping: Hashable, Sendable {
  /// Which place is meant.
  public enum Rule: Sendable, CaseIterable {
    /// Cell center to cell center.
    case halfPixel
    /// Index times ratio, half a cell off wherever the grids differ: what the phone app does, for comparison.
    case indexRatio
  }

  /// Cells to map.
  public let source: Int
  /// Cells among which they lie.
  public let target: Int
  /// The rule.
  public let rule: Rule
  /// Target cells per source cell.
  public let ratio: Double
  /// The last target cell.
  public let last: Double

  /// The map from an axis of `source` cells to one of `target` cells.
  @inlinable
  public init(from source: Int, to target: Int, rule: Rule = .halfPixel) {
    precondition(source > 0 && target > 0, "grids have at least one cell")
    self.source = source
    self.target = target
    self.rule = rule
    ratio = Double(target) / Double(source)
    last = Double(target - 1)
  }

  /// The target position of source position `i`.
  @inlinable
  public func callAsFunction(_ i: Double) -> Double {
    switch rule {
    case .halfPixel: min(max((i + 0.5) * ratio - 0.5, 0), last)
    case .indexRatio: min(max(i / Double(source) * Double(target), 0), last)
    }
  }

  /// The target position of source cell `i`.
  @inlinable
  public func callAsFunction(_ i: Int) -> Double { self(Double(i)) }

  /// The target cell that holds the center of source cell `i`, whatever the rule; exact.
  @inlinable
  public func cell(holdingCenterOf i: Int) -> Int { (2 * i + 1) * target / (2 * source) }
}
