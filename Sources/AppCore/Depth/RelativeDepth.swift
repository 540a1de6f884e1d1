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

  /// The depth found on an upright picture, turned back to the picture as stored.
  public func turnedBack(from orientation: Orientation) -> RelativeDepth {
    orientation == .up ? self : RelativeDepth(values.oriented(orientation.inverse))
  }
}

/// A network that estimates relative depth from one picture.
public protocol DepthEstimator: Sendable {
  /// The relative depth of an upright picture, covering its whole field at any resolution.
  func relativeDepth(of picture: RGBImage) async throws -> RelativeDepth
}
