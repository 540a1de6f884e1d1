import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// How a sensor's model judges what its readings show.
@Suite struct SensorSizesTests {
  /// A phone's map of a box on a table: hardly any noise from cell to cell, .6 % of warp over 15 cells.
  private static func warped(_ scene: TableScene, seed: UInt64) -> Plane<Float> {
    let depth = scene.sensor(width: 256, 192).depth
    var random = SplitMix64(seed: seed)
    let (columns, rows) = (256 / 15 + 3, 192 / 15 + 3)
    let field = (0..<columns * rows).map { _ in random.gaussian() }
    var values = depth.elements
    for y in 0..<192 {
      for x in 0..<256 {
        let (column, row) = (Double(x) / 15, Double(y) / 15)
        let (left, top) = (Int(column), Int(row))
        let (fx, fy) = (column - Double(left), row - Double(top))
        func node(_ dx: Int, _ dy: Int) -> Double { field[(top + dy) * columns + left + dx] }
        let upper = node(0, 0) * (1 - fx) + node(1, 0) * fx
        let lower = node(0, 1) * (1 - fx) + node(1, 1) * fx
        let share = 0.009 * (upper * (1 - fy) + lower * fy) + 0.0004 * random.gaussian()
        values[y * 256 + x] = Float((Double(values[y * 256 + x]) * (1 + share) * 1000).rounded() / 1000)
      }
    }
    return Plane(width: 256, height: 192, elements: values)
  }

  private static func measured(
    _ scene: TableScene, _ depth: Plane<Float>, _ kind: SensorModel.Kind
  ) -> ObjectExtent {
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: depth, sensor: SensorModel(kind),
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return ExtentEstimator(scene: DepthScene(frame: frame)).extent(of: scene.exactDetection())
  }

  private static let scenes = [20.0, 35, 50].map {
    SurfaceBoxTests.scene((0.6, 0.3, 0.4), distance: 1.8, pitch: $0)
  }

  /// What neighbors share is in the doubt of a size, and moves no face.
  @Test func noSensorMovesAFace() throws {
    let scene = Self.scenes[1]
    let depth = Self.warped(scene, seed: 4)
    let box = try #require(Self.measured(scene, depth, .unknown).box3D)
    for kind in [SensorModel.Kind.lidar, .structuredLight, .stereo, .tof] {
      #expect(Self.measured(scene, depth, kind).box3D?.dimensions == box.dimensions, "\(kind)")
    }
  }

  /// Far stereo is uncertain by more than a size should be, however smooth it looks; the same map of an unknown sensor is not.
  @Test func whatNeighborsShareIsUncertain() throws {
    let scene = SurfaceBoxTests.scene((0.9, 0.5, 0.6), distance: 5, pitch: 25)
    let depth = scene.sensor(width: 256, 192).depth
    #expect(Self.measured(scene, depth, .stereo).warnings.contains(.uncertainSize))
    #expect(!Self.measured(scene, depth, .unknown).warnings.contains(.uncertainSize))
  }

  /// An exact map stays exact under a phone's model.
  @Test func exactReadingsStayExact() throws {
    for scene in Self.scenes {
      let box = try #require(Self.measured(scene, scene.sensor(width: 256, 192).depth, .lidar).box3D)
      #expect(SurfaceBoxTests.errors(box, scene).allSatisfy { $0 < SurfaceBoxTests.worstSide })
    }
  }

  /// Objects spread over threads are the same, in the same order.
  @Test func threadsChangeNothing() throws {
    let scene = Self.scenes[1]
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: Self.warped(scene, seed: 5),
      sensor: SensorModel(.lidar), intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose,
      orientation: .right)
    let estimator = ExtentEstimator(scene: DepthScene(frame: frame))
    let detections = (0..<5).map { number -> Detection in
      let found = number % 2 == 0 ? scene.exactDetection() : scene.detection()
      return Detection(
        id: number, classId: 73, className: "book", confidence: 0.9, box: found.box, mask: found.mask)
    }
    let one = ObjectExtent.json(estimator.extents(of: detections))
    for threads in [2, 3, 8] {
      #expect(ObjectExtent.json(estimator.extents(of: detections, threads: threads)) == one, "\(threads)")
    }
    #expect(one["objects"]?.array?.compactMap { $0["id"]?.integer } == [0, 1, 2, 3, 4])
  }
}
