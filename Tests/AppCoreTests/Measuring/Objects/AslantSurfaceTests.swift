import AppCore
import Foundation
import Geometry
import Imaging
import Testing

/// A phone's readings of surfaces seen aslant, of arms that lie far behind others, and of thin things.
@Suite struct AslantSurfaceTests {
  /// A plane, a surface seen so aslant that depth doubles within eight rows, and a plane far behind it: exact, and blurred.
  ///
  /// With a `bend` the surface curves away from the camera.
  private static func aslant(bend: Double) -> (exact: [Double], blurred: Plane<Float>) {
    let (width, height) = (256, 192)
    let exact = (0..<width * height).map { cell -> Double in
      let rows = Double(100 - cell / width)
      return rows <= 0 ? 1.04 : rows > 8 ? 2.19 : 1 / (0.96 - (0.06 - 7 * bend) * rows - bend * rows * rows)
    }
    let map = Plane(width: width, height: height, elements: exact.map { Float($0) })
    return (exact, SensorSizesTests.blurred(map, cells: 0.8))
  }

  private static func readings(_ depth: Plane<Float>, confidence: UInt8) throws -> MetricDepth {
    let scene = SurfaceBoxTests.scene((0.6, 0.3, 0.4), distance: 1.8, pitch: 35)
    let frame = CapturedFrame(
      name: "aslant", image: nil, imageSize: TableScene.imageSize, depth: depth,
      confidence: Plane(width: 256, height: 192, fill: confidence), sensor: SensorModel(.lidar),
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return try #require(DepthScene(frame: frame).readings)
  }

  /// A surface that changes less from cell to cell than a ramp would is not taken for one.
  @Test func aSurfaceSeenAslantIsNotARamp() throws {
    let (exact, blurred) = Self.aslant(bend: 0.0015)
    let readings = try Self.readings(blurred, confidence: 2)
    for row in 95...97 {
      let (read, truth) = (Double(readings.values[128, row]), exact[row * 256 + 128])
      #expect(abs(read / truth - 1) < 0.03, "row \(row): \(read) of \(truth)")
    }
  }

  /// A sensor is as unsure of it as of a step: its cells count at any confidence, those of a flat surface do not.
  @Test func aSurfaceSeenAslantCountsAtAnyConfidence() throws {
    let readings = try Self.readings(Self.aslant(bend: 0).blurred, confidence: 1)
    #expect((95...97).allSatisfy { readings.states[128, $0] == .measured })
    #expect(readings.states[128, 150] == .invalid && readings.states[128, 20] == .invalid)
  }

  /// The far arm of an L-shape is a part of the object although no reading joins it to the near one.
  @Test func anArmFarBehindBelongsToTheObject() throws {
    var scene = SurfaceBoxTests.scene((1.2, 0.75, 0.96), distance: 2.5, pitch: 10)
    scene.yaw = 0.05
    scene.parts = TableScene.corner
    let depth = SensorSizesTests.blurred(scene.sensor(width: 256, 192).depth, cells: 0.8)
    let extent = SensorSizesTests.measured(scene, depth, .lidar)
    #expect(extent.discardedShare < 0.05, "\(extent.discardedShare)")
    #expect(try #require(extent.box3D).dimensions.x > 0.9 * scene.size.x)
  }

  /// Where no solid explains the readings, nothing says how far the object continues beyond what is seen.
  @Test func anUnexplainedObjectMayGoOn() throws {
    var scene = SurfaceBoxTests.scene((0.6, 0.3, 0.3), distance: 1.8, pitch: 35)
    scene.isLying = true
    let extent = SensorSizesTests.measured(scene, scene.sensor(width: 256, 192).depth, .lidar)
    let (box, errors) = (try #require(extent.box3D), try #require(extent.errors))
    #expect(extent.warnings.contains(.irregular))
    let shares = [errors.dimensions.x / box.dimensions.x, errors.dimensions.z / box.dimensions.z]
    #expect((shares.max() ?? 0) >= UprightSide.mostUnseen, "\(shares)")
    // Even where its surface leads to all of its ends.
    var egg = SurfaceBoxTests.scene((0.5, 0.25, 0.36), distance: 1.5, pitch: 50, yaw: 0.9)
    egg.isBall = true
    let open = SensorSizesTests.measured(egg, egg.sensor(width: 256, 192).depth, .lidar)
    let (around, beyond) = (try #require(open.box3D).dimensions, try #require(open.errors).dimensions)
    #expect(beyond.x >= UprightSide.mostUnseen * around.x && beyond.z >= UprightSide.mostUnseen * around.z)
  }

  /// The height of a thin slab is measured across its outline too where readings are missing around it.
  @Test func aThinSlabsHeightIsMeasuredAcrossAGap() throws {
    let scene = SurfaceBoxTests.scene((0.7, 0.04, 0.5), distance: 2, pitch: 35)
    let (depth, isBox) = scene.sensor(width: 256, 192)
    var values = depth.elements
    for y in 4..<188 {
      for x in 4..<252 where isBox[x, y] == 0 {
        // Three cells around the object are not read.
        let isNear = (-3...3).contains { dy in (-3...3).contains { isBox[x + $0, y + dy] == 1 } }
        if isNear { values[y * 256 + x] = 0 }
      }
    }
    let map = Plane(width: 256, height: 192, elements: values)
    let errors = try #require(SensorSizesTests.measured(scene, map, .lidar).errors)
    // The mean height errs by .6 % of the distance upwards: 7 mm.
    #expect(errors.dimensions.y < 0.004, "\(errors.dimensions.y)")
  }
}
