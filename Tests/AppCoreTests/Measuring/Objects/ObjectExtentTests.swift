import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import Testing

@Suite struct ObjectExtentTests {
  static let rounding = 1e-9
  static let imageSize = PixelSize(width: 1920, height: 1440)
  static let box = Rect<ImagePixels>(minX: 750, minY: 600, maxX: 1050, maxY: 787.5)

  static func detection(_ box: Rect<ImagePixels> = box, mask: InstanceMask? = nil) -> Detection {
    Detection(id: 1, classId: 41, className: "cup", confidence: 0.95, box: box, mask: mask)
  }

  static func scene(
    _ sensor: MetricDepth?, fused: MetricDepth? = nil, orientation: Orientation = .right,
    pose: RigidTransform<CameraARKit, World> = .identity
  ) -> DepthScene {
    DepthScene(
      imageSize: imageSize, intrinsics: TableScene.intrinsics, cameraToWorld: pose, orientation: orientation,
      readings: sensor, fused: fused)
  }

  /// A sensor that sees nothing but the given cells.
  static func sensor(_ cells: [(x: Int, y: Int, z: Float)]) -> MetricDepth {
    var depth = [Float](repeating: 0, count: 256 * 192)
    for cell in cells { depth[cell.y * 256 + cell.x] = cell.z }
    return MetricDepth(sensor: Plane(width: 256, height: 192, elements: depth))
  }

  /// A slanted surface of 40 x 25 cells under `box`, of which the last `leaked` in column order lie 1 m behind.
  static func leaking(_ leaked: Int) -> MetricDepth {
    sensor(
      (0..<1000).map { index in
        let x = 100 + index / 25
        let y = 80 + index % 25
        return (x, y, 1.2 + Float(index / 25) * 0.001 + (index >= 1000 - leaked ? 1 : 0))
      })
  }

  /// Exactly these cells: an edge at 1050 = 140 * 7.5 would take in one column more.
  static let leakBox = Rect<ImagePixels>(minX: 750, minY: 600, maxX: 1049, maxY: 786)

  @Test func leakageBreaksTheDepthBandAtFivePercent() throws {
    let plain = ExtentOptions(keepsLargestSurface: false)
    func box(_ leaked: Int, _ options: ExtentOptions = ExtentOptions()) throws -> ObjectExtent {
      ExtentEstimator(scene: Self.scene(Self.leaking(leaked)), options: options)
        .extent(of: Self.detection(Self.leakBox))
    }
    let clean = try #require(try box(0, plain).box3D)
    let below = try #require(try box(48, plain).box3D)
    let above = try #require(try box(60, plain).box3D)
    #expect(below.center.distance(to: clean.center) < 0.02)
    #expect(above.center.distance(to: clean.center) > 0.2)
    #expect(abs(above.yaw - clean.yaw) > 45 * .pi / 180)

    for leaked in [48, 60, 200] {
      let repaired = try box(leaked)
      let repairedBox = try #require(repaired.box3D)
      #expect(repaired.discardedShare == Double(leaked) / 1000)
      #expect(repaired.warnings.contains(.splitSurface) == (leaked > 50))
      // What is left is narrower by the leaked columns.
      let narrower = Double(leaked) / 25 * 7.5 * 1.2 / TableScene.fx
      #expect(repairedBox.center.distance(to: clean.center) < 0.02 + narrower)
      #expect(Box3DTests.halfTurnDifference(repairedBox.yaw, clean.yaw) < 5 * .pi / 180)
    }
    #expect(try box(0).discardedShare == 0)
  }

  @Test func theWindowIsInclusive() {
    // Cells 100...140 by 80...105: floor(1050 / 7.5) = 140 belongs to it.
    let inside = Self.sensor([(100, 80, 1), (140, 105, 1), (140, 80, 1)])
    let outside = Self.sensor([(99, 80, 1), (141, 105, 1), (100, 79, 1), (100, 106, 1)])
    #expect(ExtentEstimator(scene: Self.scene(inside)).extent(of: Self.detection()).distance.samples == 3)
    #expect(ExtentEstimator(scene: Self.scene(outside)).extent(of: Self.detection()).distance.source == .none)
    let corner = Self.detection(Rect(minX: 1900, minY: 1430, maxX: 1920, maxY: 1440))
    let last = Self.sensor([(255, 191, 1), (254, 191, 1), (253, 191, 1)])
    #expect(ExtentEstimator(scene: Self.scene(last)).extent(of: corner).distance.samples == 3)
  }

  @Test func quantilesUseIntegerDivision() {
    let depths = (0..<41).map { Float(1) + Float($0) / 100 }
    let sensor = Self.sensor(depths.enumerated().map { (100 + $0.offset, 90, $0.element) }.shuffled())
    let distance = ExtentEstimator(scene: Self.scene(sensor)).extent(of: Self.detection()).distance
    #expect(distance.samples == 41)
    #expect(distance.meters == Double(depths[20]))
    #expect(distance.range == Double(depths[2])...Double(depths[38]))
  }

  /// A mask that covers the picture left of a column of sensor cells.
  static func mask(leftOfCell cell: Int) -> InstanceMask {
    let letterbox = Letterbox(imageSize: imageSize)
    var grid = Plane<Float>(width: 160, height: 160, fill: 0)
    for y in 0..<160 {
      for x in 0..<160 where Double(x + 1) * 12 <= Double(cell) * 7.5 { grid[x, y] = 1 }
    }
    return InstanceMask(probabilities: grid, letterbox: letterbox)
  }

  @Test func maskedReadingsComeFirst() {
    let near = [(102, 90), (103, 90), (104, 91)].map { (x: $0.0, y: $0.1, z: Float(1)) }
    let far = (0..<20).map { (x: 125 + $0 % 5, y: 90 + $0 / 5, z: Float(3)) }
    let masked = ExtentEstimator(scene: Self.scene(Self.sensor(near + far)))
      .extent(of: Self.detection(mask: Self.mask(leftOfCell: 120)))
    #expect(masked.distance.meters == 1 && masked.distance.samples == 3)
    #expect(!masked.warnings.contains(.wholeWindow))
    #expect(masked.warnings.contains(.fewPoints) && masked.box3D?.method == .sixPoint)

    let two = ExtentEstimator(scene: Self.scene(Self.sensor(Array(near[..<2]) + far)))
      .extent(of: Self.detection(mask: Self.mask(leftOfCell: 120)))
    #expect(two.distance.meters == 3 && two.distance.samples == 22)
    #expect(two.warnings.contains(.wholeWindow))
    #expect(two.cloud.count == 2)
  }

  @Test func withoutReadingsFusionAnswersAtTheLowerEdge() throws {
    // Portrait: the lower edge is at the stored box's greatest x; a tenth inside it.
    func fused(_ value: Float, at point: Point2<ImagePixels>) -> MetricDepth {
      var depth = [Float](repeating: 7, count: 192 * 144)
      let (cx, cy) = (Int(point.x / 10), Int(point.y / 10))
      for y in cy - 1...cy + 1 { for x in cx - 1...cx + 1 { depth[y * 192 + x] = value } }
      return MetricDepth(fitted: Plane(width: 192, height: 144, elements: depth))
    }
    let two = Self.sensor([(110, 90, 1), (111, 90, 1)])
    let portrait = ExtentEstimator(
      scene: Self.scene(two, fused: fused(2.5, at: Point2(1050 - 30, 693.75)))
    ).extent(of: Self.detection())
    #expect(portrait.distance.source == .fusion && portrait.distance.meters == 2.5)
    #expect(portrait.distance.samples == 1)
    #expect(portrait.label == "cup 95%\n2.50 m")
    #expect(portrait.box3D?.method == .sixPoint)
    let landscape = ExtentEstimator(
      scene: Self.scene(nil, fused: fused(2.5, at: Point2(900, 787.5 - 18.75)), orientation: .up)
    ).extent(of: Self.detection())
    #expect(landscape.distance.meters == 2.5)
    #expect(landscape.worldWidth == Self.box.width * 2.5 / TableScene.fx)

    for unbelievable in [Float(0.0499), 100, 0, .nan] {
      let none = ExtentEstimator(
        scene: Self.scene(nil, fused: fused(unbelievable, at: Point2(1050 - 30, 693.75)))
      ).extent(of: Self.detection())
      #expect(none.distance.source == .none && none.box3D == nil)
      #expect(none.label == "cup 95%\n-- m")
    }
  }

  @Test(arguments: [
    Rect<ImagePixels>(minX: .nan, minY: 0, maxX: 10, maxY: 10),
    Rect<ImagePixels>(minX: 0, minY: 0, maxX: .infinity, maxY: 10),
    Rect<ImagePixels>(minX: 10, minY: 10, maxX: 10, maxY: 20),
    Rect<ImagePixels>(minX: 20, minY: 10, maxX: 10, maxY: 20),
    Rect<ImagePixels>(minX: 1920, minY: 0, maxX: 2000, maxY: 20),
    Rect<ImagePixels>(minX: -50, minY: -50, maxX: 0, maxY: 0),
  ]) func unusableBoxesMeasureNothing(_ box: Rect<ImagePixels>) {
    let extent = ExtentEstimator(scene: Self.scene(Self.leaking(0))).extent(of: Self.detection(box))
    #expect(extent.warnings == [.unusableBox])
    #expect(extent.distance.source == .none && extent.box3D == nil && extent.worldWidth == nil)
  }

  /// Ten by ten cells in a corner of the picture, and the box that ends where the picture does.
  @Test(arguments: [(0, 0), (246, 0), (0, 182), (246, 182)])
  func objectsAtTheEdgeAreMeasured(column: Int, row: Int) throws {
    let cells = (0..<100).map { (x: column + $0 % 10, y: row + $0 / 10, z: 1.5 + Float($0 % 10) * 0.001) }
    let (minX, minY) = (Double(column) * 7.5, Double(row) * 7.5)
    let inside = column == 0 ? 74.0 : 75, below = row == 0 ? 74.0 : 75
    let box = Rect<ImagePixels>(minX: minX, minY: minY, maxX: minX + inside, maxY: minY + below)
    let extent = ExtentEstimator(scene: Self.scene(Self.sensor(cells))).extent(of: Self.detection(box))
    #expect(extent.distance.source == .sensor && extent.distance.samples == 100)
    let measured = try #require(extent.box3D)
    #expect(measured.corners.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite })
    #expect(abs(measured.center.z + 1.5) < 0.02)
  }

  @Test func boxesReachingOutsideAreClipped() {
    let extent = ExtentEstimator(scene: Self.scene(Self.leaking(0)))
      .extent(of: Self.detection(Rect(minX: -1e9, minY: -1e9, maxX: 1e9, maxY: 1e9)))
    #expect(extent.distance.samples == 1000)
  }

  @Test func aPlainPictureHasDistancesWithoutSizes() {
    let scene = DepthScene(imageSize: Self.imageSize, intrinsics: nil, readings: Self.leaking(0))
    let extent = ExtentEstimator(scene: scene).extent(of: Self.detection())
    #expect(extent.distance.source == .sensor)
    #expect(extent.box3D == nil && extent.worldHeight == nil)
    #expect(extent.warnings == [.noMask, .noIntrinsics])
  }

  @Test func labelsRoundThePercentage() {
    #expect(ObjectExtent.label("cup", confidence: 0.95, meters: 2.3) == "cup 95%\n2.30 m")
    #expect(ObjectExtent.scoreLabel("cup", confidence: 0.87) == "cup (0.87)")
    #expect(ObjectExtent.scoreLabel("cup", confidence: .nan) == "cup (--)")
    #expect(ObjectExtent.label("cup", confidence: 0.9599, meters: 0.005) == "cup 96%\n0.01 m")
    #expect(ObjectExtent.label("cup", confidence: 1, meters: nil) == "cup 100%\n-- m")
    #expect(ObjectExtent.label("cup", confidence: .nan, meters: .nan) == "cup 0%\n-- m")
    #expect(ObjectExtent.label("bed", confidence: 0.29, meters: 12.999) == "bed 29%\n13.00 m")
  }

  @Test func sixPointsByHand() throws {
    // An upright camera at the origin looking along -z: 300 x 187.5 pixels at 2 m.
    let three = Self.sensor([(110, 90, 2), (111, 90, 2), (112, 90, 2)])
    let extent = ExtentEstimator(scene: Self.scene(three, orientation: .up)).extent(of: Self.detection())
    let box = try #require(extent.box3D)
    #expect(box.method == .sixPoint)
    #expect(abs(box.dimensions.x - 300 * 2 / TableScene.fx) < Self.rounding)
    #expect(abs(box.dimensions.y - 187.5 * 2 / TableScene.fy) < Self.rounding)
    #expect(box.dimensions.z == Box3D.smallestSide)
    let center = TableScene.intrinsics.unproject(Self.box.center, depth: 2)
    #expect((box.center - Point3(center.x, center.y, center.z)).length < Self.rounding)
    #expect(abs(abs(box.yaw) - .pi) < Self.rounding)
    // Different depths stretch it along the view.
    let deep = Self.sensor([(110, 90, 1.5), (111, 90, 2), (112, 90, 3)])
    let deepBox = try #require(
      ExtentEstimator(scene: Self.scene(deep, orientation: .up)).extent(of: Self.detection()).box3D)
    #expect(abs(deepBox.dimensions.z - 1.5) < Self.rounding)
  }

  @Test func aCameraThatLooksStraightDownHasADirection() throws {
    // x_cam = -north, y_cam = -west: the portrait picture's top points north (-z), the view goes down.
    let pose = try RigidTransform<CameraARKit, World>(columnMajor: [
      0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1.5, 0, 1,
    ])
    #expect(pose.forward == Vector3(0, -1, 0))
    let three = Self.sensor([(110, 90, 1.5), (111, 90, 1.5), (112, 90, 1.5)])
    let extent = ExtentEstimator(scene: Self.scene(three, pose: pose)).extent(of: Self.detection())
    let box = try #require(extent.box3D)
    #expect(extent.warnings.contains(.verticalView))
    #expect(box.center.isFinite && box.corners.allSatisfy(\.isFinite))
    // Forward is where the picture's top points: along -z, so the box's own z is turned half round.
    #expect(abs(abs(box.yaw) - .pi) < Self.rounding)
    #expect(abs(box.dimensions.z - 300 * 1.5 / TableScene.fx) < Self.rounding)
    #expect(abs(box.dimensions.x - 187.5 * 1.5 / TableScene.fy) < Self.rounding)
    #expect(box.dimensions.y == Box3D.smallestSide)
    #expect(abs(box.center.y) < 1e-6)
  }

  @Test func separateSurfacesOfEqualDepthAreSplit() {
    // Two patches five cells apart at the same depth: 30 and 20 cells.
    let left = (0..<30).map { (x: 101 + $0 % 5, y: 85 + $0 / 5, z: Float(1.5)) }
    let right = (0..<20).map { (x: 112 + $0 % 5, y: 85 + $0 / 5, z: Float(1.5)) }
    let split = ExtentEstimator(scene: Self.scene(Self.sensor(left + right))).extent(of: Self.detection())
    #expect(split.discardedShare == 0.4)
    // Two cells of distance still belong together, three do not: the radius is 2.5 pitches.
    for (gap, joined) in [(2, true), (3, false)] {
      let moved = right.map { (x: $0.x - 112 + 105 + gap, y: $0.y, z: $0.z) }
      let extent = ExtentEstimator(scene: Self.scene(Self.sensor(left + moved))).extent(of: Self.detection())
      #expect((extent.discardedShare == 0) == joined)
    }
  }

  @Test func theFileHoldsWhatTheFormatAsks() throws {
    let extent = ExtentEstimator(scene: Self.scene(Self.leaking(60))).extent(of: Self.detection())
    let json = try JSONValue.parse(ObjectExtent.json([extent]).serialized(pretty: true))
    #expect(json["schema"]?.string == "ardf.objects/1")
    let object = try #require(json["objects"]?[0])
    #expect(
      Set(try #require(object.object).keys) == [
        "id", "className", "confidence", "distanceMeters", "distanceInterval95", "distanceSource", "samples",
        "depthRange",
        "worldWidth", "worldHeight", "label", "box3D", "warnings",
      ])
    #expect(object["distanceSource"]?.string == "lidar")
    #expect(object["label"]?.string == extent.label)
    let box = try #require(object["box3D"])
    #expect(
      Set(try #require(box.object).keys) == [
        "center", "dimensions", "yaw", "quaternion", "corners", "method", "points", "discardedShare",
        "floorArea", "volume",
      ])
    #expect(box["corners"]?.array?.count == 8)
    #expect(box["method"]?.string == "minarea")
    #expect(box["points"]?.integer == extent.cloud.count)
    #expect(object["warnings"]?.array == [.string("no-mask"), .string("split-surface")])
    let nothing = ExtentEstimator(scene: Self.scene(nil)).extent(of: Self.detection()).json
    #expect(nothing["distanceMeters"]?.isNull == true && nothing["box3D"]?.isNull == true)
    #expect(nothing["distanceSource"]?.string == "none")
  }
}
