import AppCore
import Geometry
import Imaging
import Models
import Perception

/// Depth networks beside a sensor's readings.
package struct DepthScoring {
  private let networks: [any DepthNetwork]
  private let unit: DepthUnitRule

  /// Scoring of networks that are of one family, in several precisions.
  package init(_ networks: [any DepthNetwork], unit: DepthUnitRule) {
    (self.networks, self.unit) = (networks, unit)
  }

  /// The errors of every network on a frame.
  ///
  /// - Throws: `PerceptionError.network`.
  package func errors(of frame: CapturedFrame) throws -> Result<[DepthErrors], IncomparableFrame> {
    guard let image = frame.image else { return .failure(.noPicture) }
    guard let depth = frame.depth, let sensor = frame.readings else { return .failure(.noDepth) }
    let upright = image.oriented(frame.orientation)
    var all: [DepthErrors] = []
    for network in networks {
      let estimate: FrameEstimate
      switch try network.estimate(upright, orientation: frame.orientation, sensor: depth) {
      case .success(let found): estimate = found
      case .failure(let reason): return .failure(.noEstimate(reason))
      }
      let values = unit == .none ? estimate.depth.metric?.values : estimate.depth.relative.values
      guard let values else { return .failure(.noDepth) }
      let cells = values.resizedBilinear(width: depth.width, height: depth.height)
      guard
        let errors = DepthErrors(meters: sensor.values.elements, estimate: cells.elements, unit: unit)
      else { return .failure(.tooFewReadings(sensor.values.elements.count { $0 > 0 })) }
      all.append(errors)
    }
    return .success(all)
  }
}
