/// Cubic convolution with a = -0.75 in `Double` (Keys, 1981), as PyTorch's `grid_sample` and `interpolate` have it.
package enum CubicConvolution {
  /// The weights of the four samples around a position that lies `t` (0 to 1) after the second.
  package static func weights(_ t: Double) -> [Double] {
    [outer(1 + t), inner(t), inner(1 - t), outer(2 - t)]
  }

  private static let a = -0.75
  /// Distances up to 1.
  private static func inner(_ t: Double) -> Double { ((a + 2) * t - (a + 3)) * t * t + 1 }
  /// Distances from 1 to 2.
  private static func outer(_ t: Double) -> Double { ((a * t - 5 * a) * t + 8 * a) * t - 4 * a }
}
