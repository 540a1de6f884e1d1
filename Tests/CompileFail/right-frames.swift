// expect: compiles
import Geometry

func seen(
  _ pixel: Point2<NetworkPixels>, _ box: Letterbox, _ orientation: Orientation, _ camera: Intrinsics
) -> Point3<CameraARKit> {
  camera.unproject(orientation.stored(box.fromNetwork(pixel), stored: camera.imageSize), depth: 1)
}

func placed(_ p: Point3<CameraARKit>, _ pose: RigidTransform<CameraARKit, World>) -> Point3<World> {
  pose.apply(p)
}

func read(_ cell: Point2<DepthCells>, _ camera: DepthIntrinsics) -> Point3<CameraARKit> {
  camera.unproject(cell, depth: 1)
}

func seen(_ pixel: Point2<ImagePixels>, _ grid: DepthGrid, _ camera: DepthIntrinsics) -> Point3<CameraARKit> {
  camera.unproject(grid.cell(pixel), depth: 1)
}
