// expect: compiles
import AppCore
import Geometry
import Models
import Perception

func sizes(_ found: DetectedObjects, _ frame: CapturedFrame, _ estimator: ExtentEstimator) -> [ObjectExtent] {
  estimator.extents(
    of: found.detections.map { $0.turnedBack(from: frame.orientation, stored: frame.imageSize) })
}
