// expect: cannot convert value of type 'Point2<UprightPixels>' to expected argument type 'Point2<ImagePixels>'
import Geometry

func seen(_ pixel: Point2<NetworkPixels>, _ box: Letterbox, _ camera: Intrinsics) -> Point3<CameraARKit> {
  camera.unproject(box.fromNetwork(pixel), depth: 1)
}
