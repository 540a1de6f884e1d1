import AppCore
import FileFormats
import Perception

/// Why a frame has nothing to compare.
package enum IncomparableFrame: Error, Equatable, CustomStringConvertible {
  case noPicture
  case noDepth
  /// A network estimates nothing for it.
  case noEstimate(NoEstimate)
  /// Readings with an estimate, too few to evaluate or to fit.
  case tooFewReadings(Int)
  /// No function of relative depth gives the sensor's readings.
  case notFitted
  case noLaser
  /// The laser and the sensor have no pixel in common.
  case noCommonPixel

  /// For people.
  package var description: String {
    switch self {
    case .noPicture: "it has no picture"
    case .noDepth: "it has no depth of a sensor"
    case .noEstimate(let reason): "\(reason)"
    case .tooFewReadings(let count):
      "it has \(counted(count, "reading")) with an estimate, of which none can be evaluated or fitted"
    case .notFitted: "relative depth cannot be fitted to its readings"
    case .noLaser: "it has no depth of a laser scanner"
    case .noCommonPixel: "no pixel has both the laser's depth and the sensor's"
    }
  }
}

extension IncomparableFrame: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
