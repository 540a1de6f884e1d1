import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Boxes of scenes of which the sensor does not read everything.
@Suite struct MissingReadingTests {
  static let box = SurfaceBoxTests.scene((0.36, 0.19, 0.24), distance: 1.2, pitch: 25)

  /// Measures with `change` made to the depth map, whose cells of the box are known.
  static func measured(
    _ scene: TableScene, _ detection: Detection? = nil, fused: MetricDepth? = nil,
    _ change: (inout Plane<Float>, _ isBox: Plane<UInt8>) -> Void
  ) -> ObjectExtent {
    let sensor = scene.sensor(width: 256, 192)
    var random = SplitMix64(seed: 7)
    var depth = sensor.depth.map { Float(Double($0) * (1 + 0.003 * random.gaussian())) }
    change(&depth, sensor.isBox)
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: depth,
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return ExtentEstimator(scene: DepthScene(frame: frame, fused: fused))
      .extent(of: detection ?? scene.detection())
  }

  static func forEachCell(_ visit: (_ x: Int, _ y: Int) -> Void) {
    for y in 0..<192 { for x in 0..<256 { visit(x, y) } }
  }

  static func upright(_ sides: BoxSides) -> [SideEvidence] {
    [sides.minX, sides.maxX, sides.minZ, sides.maxZ]
  }

  /// Nothing behind the box is read: its mask alone says where it ends there, and by the mask's own error.
  @Test(arguments: [-0.4, 0, 0.5, 1.2]) func aDarkBackgroundMovesNoSide(yaw: Double) throws {
    var scene = Self.box
    scene.yaw = yaw
    let extent = Self.measured(scene) { depth, isBox in
      Self.forEachCell { x, y in if isBox[x, y] == 0, depth[x, y] > 1.25 { depth[x, y] = 0 } }
    }
    let errors = SurfaceBoxTests.errors(try #require(extent.box3D), scene)
    #expect(errors.allSatisfy { $0 < 0.06 }, "\(errors)")
  }

  /// A bed's upper fifth has no reading, though the mask covers it. (The picture's top is its least column.)
  @Test func whatIsNotReadIsInferred() throws {
    let bed = SurfaceBoxTests.scene((1.9, 0.5, 1.5), distance: 3.2, pitch: 15, yaw: 0.26)
    let extent = Self.measured(bed) { depth, isBox in
      let columns = (0..<256).filter { x in (0..<192).contains { isBox[x, $0] != 0 } }
      for x in columns[0] - 2...columns[columns.count / 5] { for y in 0..<192 { depth[x, y] = 0 } }
    }
    let (sides, box) = (Self.upright(try #require(extent.sides)), try #require(extent.box3D))
    #expect(box.dimensions.z < 0.8 * bed.size.z, "what is missing is not small")
    #expect(sides.contains(.inferred) && extent.warnings.contains(.unseenSide), "\(sides)")
    #expect(extent.warnings.contains(.unread))
    let whole = Self.measured(bed) { _, _ in }
    #expect(Self.upright(try #require(whole.sides)).allSatisfy { $0 == .observed })
    #expect(!whole.warnings.contains(.unread))
  }

  /// The far part of a bed is not read: its mask may be the surface's end or a high back, and the interval holds both.
  @Test(arguments: [15.0, 25, 35, 45], [0.35, 0.6])
  func theHeightOfABedReadInPartIsInItsInterval(pitch: Double, share: Double) throws {
    let bed = SurfaceBoxTests.scene((1.9, 0.5, 1.5), distance: 3.2, pitch: pitch, yaw: 0.26)
    let extent = Self.measured(bed) { depth, isBox in
      let columns = (0..<256).filter { x in (0..<192).contains { isBox[x, $0] != 0 } }
      let missing = Int(clamping: share * Double(columns.count))
      for x in columns[0] - 2...columns[missing] { for y in 0..<192 { depth[x, y] = 0 } }
    }
    let (height, errors) = (try #require(extent.box3D).dimensions.y, try #require(extent.errors))
    let reach = BoxErrors.deviations * errors.dimensions.y
    #expect(abs(height - 0.5) <= reach, "\(height) ± \(reach)")
    #expect(extent.warnings.contains(.unread))
  }

  /// Fused depth passes from one surface to another where sensors read nothing: at edges.
  @Test func fusedDepthMovesNoSideOfWhatIsRead() throws {
    func dropEdges(_ depth: inout Plane<Float>, _ isBox: Plane<UInt8>) {
      let whole = depth
      for y in 1..<191 {
        for x in 1..<255 where abs(whole[x + 1, y] - whole[x - 1, y]) > 0.06 { depth[x, y] = 0 }
      }
    }
    let between = try #require(
      MetricDepth(
        values: Plane(width: 256, height: 192, fill: 1.35),
        codes: Plane(width: 256, height: 192, fill: DepthState.guided.rawValue)))
    let alone = Self.measured(Self.box) { dropEdges(&$0, $1) }
    #expect(SurfaceBoxTests.errors(try #require(alone.box3D), Self.box).allSatisfy { $0 < 0.05 })
    let both = Self.measured(Self.box, fused: between) { dropEdges(&$0, $1) }
    #expect(both.box3D == alone.box3D && both.sides == alone.sides && both.warnings == alone.warnings)
  }

  /// Completed depth is kept beside the readings, not in them: callers ask for one of the two.
  @Test func readingsStayBesideTheirCompletion() throws {
    var depth = Plane<Float>(width: 8, height: 6, fill: 2)
    depth[3, 2] = 0
    let frame = CapturedFrame(
      name: "gap", image: nil, imageSize: PixelSize(width: 80, height: 60), depth: depth,
      intrinsics: try Intrinsics(fx: 60, fy: 60, cx: 39.5, cy: 29.5, imageWidth: 80, imageHeight: 60))
    let guided = try #require(
      MetricDepth(
        values: Plane(width: 8, height: 6, fill: 3),
        codes: Plane(width: 8, height: 6, fill: DepthState.guided.rawValue)))
    let scene = DepthScene(frame: frame, fused: guided)
    let (readings, completed) = (try #require(scene.readings), try #require(scene.completed))
    #expect(readings == frame.readings && readings.states[3, 2] == .invalid)
    #expect(completed.states[3, 2] == .guided && completed.values[3, 2] == 3)
    #expect(completed.states.elements.count { $0 == .measured } == 47 && completed.values[0, 0] == 2)
    #expect(DepthScene(frame: frame).completed == readings)
    // One point a cell that has a depth: the same completion.
    #expect(PointCloud(frame).count == 47 && PointCloud(frame, fused: guided).count == 48)
  }

  /// A sensor with sparse readings: no surface is connected without what fused depth has between them.
  @Test func sparseReadingsAreFilled() throws {
    func strew(_ depth: inout Plane<Float>) {
      var random = SplitMix64(seed: 3)
      Self.forEachCell { x, y in if abs(random.gaussian()) > 0.5 { depth[x, y] = 0 } }
    }
    let exact = try #require(
      MetricDepth(
        values: Self.box.sensor(width: 256, 192).depth.map { min($0, 100) },
        codes: Plane(width: 256, height: 192, fill: DepthState.guided.rawValue)))
    let extent = Self.measured(Self.box, fused: exact) { depth, _ in strew(&depth) }
    let errors = SurfaceBoxTests.errors(try #require(extent.box3D), Self.box)
    #expect(errors.allSatisfy { $0 < 0.03 }, "\(errors)")
    #expect(extent.warnings.contains(.unread))
  }

  /// Sensors drop readings around the edge of something nearer: five cells here, behind which the box
  /// continues.
  @Test(arguments: [0, 5]) func aGapBesideSomethingNearerHidesTheObject(gap: Int) throws {
    let scene = SurfaceBoxTests.scene((0.5, 0.3, 0.3), distance: 1.2, pitch: 35, yaw: 0)
    let edge = 96
    let exact = scene.exactDetection()
    let mask = try #require(exact.mask)
    var seen = Plane<UInt8>(width: 1920, height: 1440, fill: 0)
    for v in 0..<edge * 15 / 2 {
      for u in 0..<1920 where mask.probability(at: Point2(Double(u), Double(v))) > 0.5 { seen[u, v] = 255 }
    }
    let detection = Detection(
      id: 0, classId: 0, className: "box", confidence: 0.9, box: exact.box, mask: InstanceMask(binary: seen))
    let extent = Self.measured(scene, detection) { depth, _ in
      Self.forEachCell { x, y in if y >= edge { depth[x, y] = y < edge + gap ? 0 : 0.5 } }
    }
    let sides = Self.upright(try #require(extent.sides))
    #expect(sides.contains(.inferred) && extent.warnings.contains(.unseenSide), "\(sides)")
    #expect(try #require(extent.box3D).dimensions.x < 0.4)
  }

  /// A cupboard taller than the picture: what is seen of it ends at the border.
  @Test func theTopOfWhatTheBorderCutsIsInferred() throws {
    let tall = SurfaceBoxTests.scene((0.5, 2.4, 0.4), distance: 1.5, pitch: 5, yaw: 0.3)
    let extent = Self.measured(tall) { _, _ in }
    #expect(extent.sides?.maxY == .inferred)
    #expect(extent.warnings.contains(.cutOff) && extent.warnings.contains(.unseenSide))
    let low = SurfaceBoxTests.scene((0.5, 0.6, 0.4), distance: 1.5, pitch: 5, yaw: 0.3)
    #expect(Self.measured(low) { _, _ in }.sides?.maxY == .observed)
  }

  /// The upper third of an upright face has no reading, though the mask covers it.
  @Test func theTopThatIsNotReadIsInferred() throws {
    let scene = SurfaceBoxTests.scene((0.5, 0.6, 0.4), distance: 1.5, pitch: 5, yaw: 0.3)
    for detection in [scene.detection(), scene.exactDetection()] {
      let extent = Self.measured(scene, detection) { depth, isBox in
        let columns = (0..<256).filter { x in (0..<192).contains { isBox[x, $0] != 0 } }
        for x in columns[0] - 2...columns[columns.count / 3] { for y in 0..<192 { depth[x, y] = 0 } }
      }
      #expect(extent.sides?.maxY == .inferred)
    }
  }

  /// A gap at the foot of an upright face, where the floor before it is nearer.
  @Test func aGapAtTheFootHidesNothing() throws {
    let scene = SurfaceBoxTests.scene((0.5, 0.6, 0.4), distance: 1.5, pitch: 25, yaw: 0.3)
    let extent = Self.measured(scene) { depth, isBox in
      for y in 0..<192 {
        if let foot = (0..<256).last(where: { isBox[$0, y] != 0 }) {
          for x in foot - 1...foot + 5 { depth[x, y] = 0 }
        }
      }
    }
    let sides = Self.upright(try #require(extent.sides))
    #expect(sides.allSatisfy { $0 == .observed } && !extent.warnings.contains(.occluded), "\(sides)")
    #expect(SurfaceBoxTests.errors(try #require(extent.box3D), scene).allSatisfy { $0 < 0.03 })
  }

  /// Something hangs down before the upper half.
  @Test func theTopBehindSomethingNearerIsInferred() throws {
    let scene = SurfaceBoxTests.scene((0.5, 0.6, 0.4), distance: 1.5, pitch: 5, yaw: 0.3)
    let exact = scene.exactDetection()
    let mask = try #require(exact.mask)
    let edge = 120
    var seen = Plane<UInt8>(width: 1920, height: 1440, fill: 0)
    for v in 0..<1440 {
      for u in edge * 15 / 2..<1920 where mask.probability(at: Point2(Double(u), Double(v))) > 0.5 {
        seen[u, v] = 255
      }
    }
    let detection = Detection(
      id: 0, classId: 0, className: "box", confidence: 0.9, box: exact.box, mask: InstanceMask(binary: seen))
    let extent = Self.measured(scene, detection) { depth, _ in
      Self.forEachCell { x, y in if x < edge { depth[x, y] = 0.6 } }
    }
    #expect(extent.sides?.maxY == .inferred && extent.warnings.contains(.occluded), "\(extent.warnings)")
  }
}
