// expect: cannot convert value of type 'Point2<UprightPixels>' to expected argument type 'Point2<ImagePixels>'
import Geometry
import Models

func seen(_ object: DetectedObject, _ camera: Intrinsics) -> Point3<CameraARKit> {
  camera.unproject(object.box.center, depth: 1)
}
