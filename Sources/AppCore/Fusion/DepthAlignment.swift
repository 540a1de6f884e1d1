import Geometry
import Imaging

/// The fitted function from relative depth to meters, with what is known about its quality: the only road from
/// `RelativeDepth` to `MetricDepth`.
public struct DepthAlignment: Sendable, Equatable {
  /// The shape of the function and its coefficients.
  public enum Model: Sendable, Equatable {
    /// 1 / Z = scale * r + shift.
    case inverse(scale: Double, shift: Double)
    /// Z = alpha * r + beta: the phone app's formula, for comparison.
    case linear(alpha: Double, beta: Double)
  }

  /// Depth is reported within these meters.
  public static let reportedRange = 0.01...100.0

  /// The function.
  public let model: Model
  /// How many pairs were fitted.
  public let pairs: Int
  /// The share of pairs that the fit did not reject as outliers.
  public let inlierRatio: Double
  /// Median over all pairs of the relative error |Z / fitted - 1| (for `linear`: |fitted / Z - 1|).
  public let medianRelativeResidual: Double
  /// Root mean square of fitted - Z over the inliers, meters.
  public let rmseMeters: Double
  /// Least and greatest sensor depth among the inliers, meters.
  public let fittedRangeMeters: ClosedRange<Double>

  /// Meters for a relative depth, and whether they can be trusted; (0, invalid) where there is no answer.
  @inline(__always)
  public func meters(of relative: Double) -> (meters: Double, state: DepthState) {
    let depth: Double
    switch model {
    case .inverse(let scale, let shift):
      let inverse = scale * relative + shift
      guard inverse > 0, inverse.isFinite else { return (0, .invalid) }
      depth = 1 / max(inverse, 1 / Self.reportedRange.upperBound)
    case .linear(let alpha, let beta):
      depth = alpha * relative + beta
      guard depth.isFinite else { return (0, .invalid) }
    }
    let clamped = min(max(depth, Self.reportedRange.lowerBound), Self.reportedRange.upperBound)
    return (clamped, fittedRangeMeters.contains(depth) ? .fitted : .extrapolated)
  }

  /// Metric depth on the relative depth's own grid.
  public func metric(_ relative: RelativeDepth) -> MetricDepth {
    let source = relative.values
    var values = [Float](repeating: 0, count: source.elements.count)
    var states = [DepthState](repeating: .invalid, count: source.elements.count)
    for index in values.indices {
      let result = meters(of: Double(source.elements[index]))
      values[index] = Float(result.meters)
      states[index] = result.state
    }
    return MetricDepth(
      values: Plane(width: source.width, height: source.height, elements: values),
      states: Plane(width: source.width, height: source.height, elements: states))
  }

  /// Metric depth on a grid of `size`, usually the picture's: relative depth is interpolated bilinearly between
  /// cell centers and then converted, so that no depth is averaged across an edge in meters.
  public func metric(_ relative: RelativeDepth, size: PixelSize) -> MetricDepth {
    let source = relative.values
    guard size != source.size else { return metric(relative) }
    let columns = GridMapping(from: size.width, to: source.width).pairs
    let rows = GridMapping(from: size.height, to: source.height).pairs
    var values = [Float](repeating: 0, count: size.width * size.height)
    var states = [DepthState](repeating: .invalid, count: size.width * size.height)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let r = source.bilinear(in: source.elements.span, columns[x], rows[y])
        let result = meters(of: Double(r))
        values[y * size.width + x] = Float(result.meters)
        states[y * size.width + x] = result.state
      }
    }
    return MetricDepth(
      values: Plane(width: size.width, height: size.height, elements: values),
      states: Plane(width: size.width, height: size.height, elements: states))
  }
}
