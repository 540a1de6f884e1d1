// expect: cannot convert value of type 'RigidTransform<World, CameraARKit>' to expected argument type
import Geometry

func twice(
  _ a: RigidTransform<World, CameraARKit>, _ b: RigidTransform<World, CameraARKit>
) -> RigidTransform<World, CameraARKit> {
  a.after(b)
}
