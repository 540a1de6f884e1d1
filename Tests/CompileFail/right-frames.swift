// expect: compiles
import Geometry

func seen(_ pixel: Point2<NetworkPixels>, _ box: Letterbox, _ camera: Intrinsics) -> Point3<CameraARKit> {
  camera.unproject(box.fromNetwork(pixel), depth: 1)
}

func placed(_ p: Point3<CameraARKit>, _ pose: RigidTransform<CameraARKit, World>) -> Point3<World> {
  pose.apply(p)
}
