// expect: cannot convert value of type 'Point2<ImagePixels>' to expected argument type 'Point2<DepthCells>'
import Geometry

func seen(_ pixel: Point2<ImagePixels>, _ camera: DepthIntrinsics) -> Point3<CameraARKit> {
  camera.unproject(pixel, depth: 1)
}
