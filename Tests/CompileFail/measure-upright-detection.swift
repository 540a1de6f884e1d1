// expect: cannot convert value of type 'UprightDetection' (aka 'FramedDetection<UprightPixels>') to expected argument type 'Detection' (aka 'FramedDetection<ImagePixels>')
import AppCore

func size(_ found: UprightDetection, _ estimator: ExtentEstimator) -> ObjectExtent {
  estimator.extent(of: found)
}
