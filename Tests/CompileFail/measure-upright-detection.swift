// expect: cannot convert value of type 'UprightDetection' to expected argument type 'Detection'
import AppCore

func size(_ found: UprightDetection, _ estimator: ExtentEstimator) -> ObjectExtent {
  estimator.extent(of: found)
}
