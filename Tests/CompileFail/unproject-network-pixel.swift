// expect: cannot convert value of type 'Point2<NetworkPixels>' to expected argument type 'Point2<ImagePixels>'
import Geometry

func seen(_ pixel: Point2<NetworkPixels>, _ camera: Intrinsics) -> Point3<CameraARKit> {
  camera.unproject(pixel, depth: 1)
}
