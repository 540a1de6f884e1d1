import AppCore
import Foundation
import Geometry
import Imaging
import Testing

@Suite struct RayCastTests {
  /// The mapping's own error: below one cell of the densest grid cast here.
  static let mapping = 0.7e-3
  /// 0.05 degrees, shown as 0.0.
  static let angle = 0.05 * .pi / 180
  /// Two sensor cells at 1.2 m: the mask's own cells are twice as wide as the sensor's.
  static let rim = 0.03

  @Test func theCleanMappingRecoversTheBox() {
    let scene = TableScene()
    let pose = scene.pose
    var points: [Point3<World>] = []
    for y in stride(from: 0, to: 1440, by: 1) {
      for x in stride(from: 0, to: 1920, by: 1) {
        // The box shows within this part of the picture.
        guard x > 700, x < 1250, y > 400, y < 1050 else { continue }
        let hit = scene.cast(Double(x), Double(y), pose)
        guard hit.isBox else { continue }
        let pixel = Point2<ImagePixels>(Double(x) + 0.5, Double(y) + 0.5)
        points.append(pose.apply(TableScene.intrinsics.unproject(pixel, depth: hit.z)))
      }
    }
    let box = Box3D(around: points, method: .minimumArea)
    #expect(box.center.distance(to: scene.center) < Self.mapping)
    #expect(abs(box.yaw - scene.yaw) < Self.angle)
    #expect(abs(box.dimensions.x - scene.size.x) < 2 * Self.mapping)
    #expect(abs(box.dimensions.y - scene.size.y) < 2 * Self.mapping)
    #expect(abs(box.dimensions.z - scene.size.z) < 2 * Self.mapping)
  }

  @Test func standingInAFlipForTheMinusSignShiftsEverything() {
    // v = H - y with Y = +(v - cy) Z / fy is off by |H - 2 cy| / fy: 4.2 mm a meter on this phone.
    let camera = TableScene.intrinsics
    let right = camera.unproject(Point2(700, 300), depth: 1).y
    let flipped = ((1440 - 300) - camera.cy) / camera.fy
    // Both count rows, one by edges and one by centers: half a pixel apart besides.
    let error = abs(flipped - right) - 0.5 / camera.fy
    #expect(abs(error - 4.24e-3) < 1e-4)
  }

  @Test func aPhoneFindsTheBox() throws {
    let scene = TableScene()
    let (depth, _) = scene.sensor(width: 256, 192)
    let detection = scene.detection()
    let estimator = ExtentEstimator(scene: scene.depthScene(MetricDepth(sensor: depth)))
    let extent = estimator.extent(of: detection)
    let box = try #require(extent.box3D)
    #expect(extent.distance.source == .sensor)
    #expect(abs(try #require(extent.distance.meters) - scene.distance) < 0.06)
    #expect(box.method == .surfaces)
    #expect(box.center.distance(to: scene.center) < Self.rim)
    #expect(abs(box.yaw - scene.yaw) < 5 * .pi / 180)
    #expect(abs(box.dimensions.x - scene.size.x) < Self.rim)
    #expect(extent.warnings.isEmpty)
    #expect(extent.discardedShare == 0)
    #expect(extent.label.hasPrefix("book 95%\n1.1") || extent.label.hasPrefix("book 95%\n1.2"))
    // The portrait picture's width runs along sensor rows.
    let z = try #require(extent.distance.meters)
    #expect(extent.worldWidth == detection.box.height * z / TableScene.fy)
    #expect(extent.worldHeight == detection.box.width * z / TableScene.fx)
  }

  @Test func theProjectedBoxSurroundsTheDetection() throws {
    let scene = TableScene()
    let box = Box3D(
      center: scene.center, dimensions: BoxDimensions(x: 0.24, y: 0.11, z: 0.15), yaw: scene.yaw,
      method: .minimumArea)
    let edges = box.projectedEdges(intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose)
    #expect(edges.count == 12)
    let ends = edges.flatMap { [$0.0, $0.1] }
    let detection = scene.detection().box
    // The detection is drawn from mask cells of 12 pixels.
    #expect(abs(try #require(ends.map(\.x).min()) - detection.minX) < 12)
    #expect(abs(try #require(ends.map(\.x).max()) - detection.maxX) < 12)
    #expect(abs(try #require(ends.map(\.y).min()) - detection.minY) < 12)
    #expect(abs(try #require(ends.map(\.y).max()) - detection.maxY) < 12)
  }

  @Test func edgesBehindTheCameraAreLeftOut() {
    // A box that reaches through the camera's plane.
    let box = Box3D(
      center: Point3(0, 0, 0), dimensions: BoxDimensions(x: 1, y: 1, z: 4), yaw: 0, method: .minimumArea)
    let edges = box.projectedEdges(intrinsics: TableScene.intrinsics, cameraToWorld: .identity)
    #expect(edges.count == 4)
  }
}
