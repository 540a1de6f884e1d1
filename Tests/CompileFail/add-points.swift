// expect: cannot convert value of type 'Point3<World>' to expected argument type 'Vector3<World>'
import Geometry

func sum(_ a: Point3<World>, _ b: Point3<World>) -> Point3<World> {
  a + b
}
