import Geometry
import Imaging

/// Affine-invariant inverse depth as a monocular network gives it: larger is nearer, and 1 / meters is a
/// linear function of it whose two coefficients are unknown.
///
/// It has no unit. The fitted `DepthAlignment` is the only road from here to `MetricDepth`.
public struct RelativeDepth: Sendable, Equatable {
  /// The values; the grid covers the picture's whole field.
  public let values: Plane<Float>

  /// Wraps a network's output.
  public init(_ values: Plane<Float>) {
    self.values = values
  }
}
