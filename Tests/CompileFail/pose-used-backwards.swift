// expect: cannot convert value of type 'Point3<World>' to expected argument type 'Point3<CameraARKit>'
import Geometry

func inCamera(_ p: Point3<World>, _ pose: RigidTransform<CameraARKit, World>) -> Point3<World> {
  pose.apply(p)
}
