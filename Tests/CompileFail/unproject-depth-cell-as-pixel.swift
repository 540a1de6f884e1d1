// expect: cannot convert value of type 'Point2<DepthCells>' to expected argument type 'Point2<ImagePixels>'
import Geometry

func seen(_ cell: Point2<DepthCells>, _ camera: Intrinsics) -> Point3<CameraARKit> {
  camera.unproject(cell, depth: 1)
}
