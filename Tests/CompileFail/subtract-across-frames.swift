// expect: cannot convert value of type 'Point3<CameraARKit>' to expected argument type 'Point3<World>'
import Geometry

func apart(_ a: Point3<World>, _ b: Point3<CameraARKit>) -> Vector3<World> {
  a - b
}
