// expect: cannot convert value of type 'Point3<World>' to expected argument type 'Point3<CameraARKit>'
import Geometry

func seen(_ p: Point3<World>, _ camera: Intrinsics) -> Point2<ImagePixels>? {
  camera.project(p)
}
