import AppCore
import Geometry
import Imaging
import Models
import Perception

/// The sensor's depth, fused depth, and the fit alone, against a laser scanner's depth.
package struct LaserScoring {
  /// The names of what is compared.
  package static let ways = ["raw", "fused", "fit"]
  /// Approximate number of columns at which the truth is compared, at any resolution.
  private static let columns = 512

  package let network: any DepthNetwork

  /// Scoring of what is fused with a network's depth.
  package init(_ network: any DepthNetwork) { self.network = network }

  /// The errors of each way, in the order of `ways`.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - truth: The laser's depth of its picture's shape, meters; 0 where there is none.
  /// - Returns: The errors, or why there are none.
  /// - Throws: `PerceptionError.network`.
  package func errors(
    of frame: CapturedFrame, _ truth: Plane<Float>
  ) throws -> Result<[LaserErrors], IncomparableFrame> {
    guard let image = frame.image else { return .failure(.noPicture) }
    guard let sensed = frame.depth else { return .failure(.noDepth) }
    let estimate: FrameEstimate
    switch try network.estimate(
      image.oriented(frame.orientation), orientation: frame.orientation, sensor: sensed)
    {
    case .success(let found): estimate = found
    case .failure(let reason): return .failure(.noEstimate(reason))
    }
    func fused(_ method: FusionMethod) -> MetricDepth? {
      DepthFusion.fuse(
        relative: estimate.depth.relative, frame: frame, options: FusionOptions(method: method))?.metric
    }
    guard let guided = fused(.guided), let fit = fused(.fit) else {
      return .failure(.notFitted)
    }
    // Every reading of the sensor counts, as in what others publish of it.
    let ways = [MetricDepth(fitted: sensed), guided, fit]
    let step = max(1, truth.width / Self.columns)
    let rows = Array(stride(from: step / 2, to: truth.height, by: step))
    let columns = Array(stride(from: step / 2, to: truth.width, by: step))
    let places = rows.flatMap { y in columns.map { (x: $0, y: y) } }
    let values = ways.map { way in
      places.map { place -> Float in
        let center = Point2<ImagePixels>(Double(place.x) + 0.5, Double(place.y) + 0.5)
        return Float(way.meters(at: center, imageSize: truth.size) ?? 0)
      }
    }
    let exact = places.map { truth[$0.x, $0.y] }
    guard let errors = LaserErrors.compared(truth: exact, width: columns.count, ways: values) else {
      return .failure(.noCommonPixel)
    }
    return .success(errors)
  }
}
