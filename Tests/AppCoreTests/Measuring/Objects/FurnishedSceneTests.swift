import AppCore
import Foundation
import Geometry
import Imaging
import Testing

/// Boxes of things that are not boxes, and of things among furniture, as a phone reads them.
@Suite struct FurnishedSceneTests {
  private static func blurred(_ scene: TableScene) -> Plane<Float> {
    SensorSizesTests.blurred(scene.sensor(width: 256, 192).depth, cells: 0.8)
  }

  private static func ball() -> TableScene {
    var scene = SurfaceBoxTests.scene((0.24, 0.24, 0.24), distance: 0.9, pitch: 30)
    scene.isBall = true
    scene.wall = 0.6
    return scene
  }

  /// The cells within so many of one that sees another thing than it.
  private static func atEdges(_ isBox: Plane<UInt8>, _ reach: Int) -> [Bool] {
    (0..<256 * 192).map { cell in
      let (x, y) = (cell % 256, cell / 256)
      guard x >= reach, y >= reach, x < 256 - reach, y < 192 - reach else { return false }
      return (-reach...reach).contains { dy in
        (-reach...reach).contains { isBox[x + $0, y + dy] != isBox[x, y] }
      }
    }
  }

  /// A frame whose sensor is unsure of the cells beside every step.
  private static func unsure(_ scene: TableScene, _ depth: Plane<Float>) -> CapturedFrame {
    let edges = atEdges(scene.sensor(width: 256, 192).isBox, 3)
    return CapturedFrame(
      name: "unsure", image: nil, imageSize: TableScene.imageSize, depth: depth,
      confidence: Plane(width: 256, height: 192, elements: edges.map { $0 ? 1 : 2 }),
      sensor: SensorModel(.lidar), intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose,
      orientation: .right)
  }

  /// The extent of a scene's object whose depth errs as a phone's, through a mask that is so many pixels too wide.
  private static func measured(_ scene: TableScene, leaking leak: Int) -> ObjectExtent {
    let depth = SensorSizesTests.blurred(SensorSizesTests.warped(scene, seed: 1), cells: 0.8)
    let frame = CapturedFrame(
      name: "room", image: nil, imageSize: TableScene.imageSize, depth: depth, sensor: SensorModel(.lidar),
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return ExtentEstimator(scene: DepthScene(frame: frame)).extent(of: scene.exactDetection(leaking: leak))
  }

  /// A box ends at the wall right at its back: where nothing is known of the wall, it is 15 to 18 % too deep.
  @Test(arguments: [(size: 0.5, wall: 0.152, pitch: 25.0, leak: 12), (0.5, 0.16, 35, 0), (0.8, 0.175, 25, 8)])
  func aBoxEndsAtAWall(_ view: (size: Double, wall: Double, pitch: Double, leak: Int)) throws {
    let size = view.size < 0.6 ? (0.5, 0.4, 0.3) : (0.8, 0.9, 0.35)
    let distance = view.size < 0.6 ? 1.4 : 2.2
    var scene = SurfaceBoxTests.scene(size, distance: distance, pitch: view.pitch, yaw: 0)
    scene.wall = view.wall
    let depth = try #require(Self.measured(scene, leaking: view.leak).box3D).dimensions.z
    #expect(abs(depth / size.2 - 1) < 0.08, "\(depth)")
  }

  /// A ball is as high and as deep as wide: a cylinder or a box of its readings is less deep, and irregular.
  @Test func aBallIsMeasuredAsOne() throws {
    var scene = SurfaceBoxTests.scene((0.24, 0.24, 0.24), distance: 1.2, pitch: 15)
    scene.isBall = true
    let exact = SensorSizesTests.measured(scene, scene.sensor(width: 256, 192).depth, .unknown)
    for extent in [exact, Self.measured(scene, leaking: 0)] {
      let size = try #require(extent.box3D).dimensions
      for side in [size.x, size.y, size.z] { #expect(abs(side / 0.24 - 1) < 0.03, "\(side)") }
      #expect(extent.warnings.contains(.round) && !extent.warnings.contains(.irregular))
    }
  }

  /// An object that no turn of a box suits is round only if a circle fits.
  @Test(arguments: [0.3, 0.9, 1.4]) func anEllipsoidIsNotRound(yaw: Double) throws {
    var scene = SurfaceBoxTests.scene((0.5, 0.25, 0.36), distance: 1.5, pitch: 50, yaw: yaw)
    scene.isBall = true
    let extent = SensorSizesTests.measured(scene, scene.sensor(width: 256, 192).depth, .unknown)
    #expect(extent.box3D != nil && !extent.warnings.contains(.round))
    // No turn of a box suits it: it may be any.
    #expect(extent.errors?.yaw == BoxFaces.anyTurn)
  }

  /// A sensor doubts the cells beside a step too, which lie on a surface: they are read as the ramp's are.
  @Test(arguments: [Float(1.05), 1.1]) func doubtedCellsBesideAStepAreRead(ratio: Float) throws {
    let scene = SurfaceBoxTests.scene((0.6, 0.3, 0.4), distance: 1.8, pitch: 35)
    let step = Plane<Float>(
      width: 256, height: 192, elements: (0..<256 * 192).map { $0 / 256 < 100 ? ratio : 1 })
    let frame = CapturedFrame(
      name: "step", image: nil, imageSize: TableScene.imageSize,
      depth: SensorSizesTests.blurred(step, cells: 0.8), confidence: Plane(width: 256, height: 192, fill: 1),
      sensor: SensorModel(.lidar), intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose,
      orientation: .right)
    let readings = try #require(DepthScene(frame: frame).readings)
    for row in [96, 103] { #expect(readings.states[128, row] == .measured, "\(row)") }
    for row in [91, 108] { #expect(readings.states[128, row] != .measured, "\(row)") }
  }

  /// Beside a surface that curves away no plane ends at a step: it is carried on as it curves.
  @Test func aCurvedSurfaceReachesItsOutline() throws {
    let scene = Self.ball()
    let isBox = scene.sensor(width: 256, 192).isBox
    let readings = try #require(DepthScene(frame: Self.unsure(scene, Self.blurred(scene))).readings)
    let edges = Self.atEdges(isBox, 3)
    let cells = edges.indices.filter { edges[$0] && isBox.elements[$0] == 1 }
    let read = cells.count { readings.states.elements[$0] == .measured }
    #expect(Double(read) > 0.25 * Double(cells.count), "\(read) of \(cells.count)")
  }

  /// A chair's thin back that the sensor does not read: its seat is not its top.
  @Test func anUnreadBackGoesOnAboveASeat() throws {
    var scene = SurfaceBoxTests.scene((0.5, 0.9, 0.5), distance: 2, pitch: 25, yaw: 0.2)
    scene.parts = [
      TableScene.Part(from: (0, 0, 0), to: (1, 0.5, 1)), TableScene.Part(from: (0, 0, 0), to: (1, 1, 0.1)),
    ]
    var low = scene
    low.parts = [scene.parts[0]]
    let (whole, seat) = (scene.sensor(width: 256, 192), low.sensor(width: 256, 192).depth)
    var values = whole.depth.elements
    for cell in values.indices where whole.isBox.elements[cell] == 1 && values[cell] != seat.elements[cell] {
      values[cell] = 0
    }
    let map = Plane(width: 256, height: 192, elements: values)
    let extent = SensorSizesTests.measured(scene, map, .lidar)
    #expect(try #require(extent.sides).maxY == .inferred)
    // The mask says how high it extends, by the seat's depth: what is seen of the chair is half as high.
    #expect(abs(try #require(extent.box3D).dimensions.y / scene.size.y - 1) < 0.25)
  }

  /// A bed whose far end the sensor does not read: a level surface that extends no more than twice as far fills the mask.
  @Test(arguments: [25.0, 40]) func anUnreadEndOfALevelTopIsNotHigher(pitch: Double) throws {
    let bed = SurfaceBoxTests.scene((1.9, 0.5, 1.5), distance: 4.2, pitch: pitch, yaw: 0.26)
    let (depth, isBox) = bed.sensor(width: 256, 192)
    var values = depth
    let columns = (0..<256).filter { x in (0..<192).contains { isBox[x, $0] != 0 } }
    for x in columns[0] - 2...columns[columns.count / 5] { for y in 0..<192 { values[x, y] = 0 } }
    let extent = SensorSizesTests.measured(bed, values, .lidar)
    #expect(try #require(extent.sides).maxY == .inferred)
    #expect(abs(try #require(extent.box3D).dimensions.y / bed.size.y - 1) < 0.01)
  }

  /// Little of a plank's outline lies at its far end, where something nearer begins: the plank may continue behind that,
  /// though what is nearer is too little to say that it hides the plank.
  @Test func aSideAtWhichSomethingNearerBeginsMayGoOn() throws {
    let plank = SurfaceBoxTests.scene((0.1, 0.1, 0.8), distance: 1.2, pitch: 30, yaw: 0)
    let (depth, isBox) = plank.sensor(width: 256, 192)
    let firsts = (0..<192).map { y -> Int in (0..<256).first { x in isBox[x, y] == 1 } ?? 256 }
    let end = firsts.min() ?? 0
    var nearer = depth
    for (y, first) in firsts.enumerated() where first < end + 6 {
      for x in first - 12..<first { nearer[x, y] = 0.5 }
    }
    func share(_ depth: Plane<Float>) throws -> Double {
      let extent = SensorSizesTests.measured(plank, depth, .lidar)
      #expect(!extent.warnings.contains(.occluded))
      return try #require(extent.errors).dimensions.x / (try #require(extent.box3D)).dimensions.x
    }
    #expect(try share(depth) < 0.05)
    #expect(try share(nearer) >= UprightSide.mostUnseen)
  }

  /// A crate before the lower half of a box's end, which the mask leaves out: the box does not end where the crate begins.
  @Test func aBoxGoesOnBehindWhatIsNearer() throws {
    let scene = SurfaceBoxTests.scene((0.6, 0.3, 0.4), distance: 1.8, pitch: 15, yaw: 0)
    let (exact, isBox) = scene.sensor(width: 256, 192)
    let columns = (0..<256).filter { x in (0..<192).contains { y in isBox[x, y] == 1 } }
    let last = try #require((0..<192).last { y in columns.contains { x in isBox[x, y] == 1 } })
    let (middle, rows) = (columns[columns.count / 2], last - 6..<last + 12)
    var depth = exact
    for y in rows { for x in middle..<256 { depth[x, y] = 1 } }
    let whole = scene.exactDetection()
    let mask = try #require(whole.mask)
    var seen = Plane<UInt8>(width: 1920, height: 1440, fill: 0)
    for v in 0..<1440 {
      for u in 0..<1920 where mask.probability(at: Point2(Double(u), Double(v))) > 0.5 {
        // A cell has 7.5 x 7.5 pixels.
        if !rows.contains(v * 2 / 15) || u * 2 / 15 < middle { seen[u, v] = 255 }
      }
    }
    let detection = Detection(
      id: 0, classId: 0, className: "box", confidence: 0.9, box: whole.box, mask: InstanceMask(binary: seen))
    let frame = CapturedFrame(
      name: "crate", image: nil, imageSize: TableScene.imageSize, depth: depth, sensor: SensorModel(.lidar),
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    let extent = ExtentEstimator(scene: DepthScene(frame: frame)).extent(of: detection)
    let errors = SurfaceBoxTests.errors(try #require(extent.box3D), scene)
    #expect(errors.allSatisfy { $0 < 0.01 }, "\(errors)")
    #expect(extent.warnings.contains(.occluded) && extent.warnings.contains(.unseenSide))
  }

  /// The underside of a board above is not what an object stands on.
  @Test func aBoardAboveIsNotASupport() throws {
    var scene = SurfaceBoxTests.scene((0.4, 0.2, 0.2), distance: 1, pitch: -12)
    scene.board = 0.26
    scene.wall = 0.4
    let extent = SensorSizesTests.measured(scene, Self.blurred(scene), .lidar)
    #expect(extent.errors != nil && extent.warnings.contains(.noSupport))
  }
}
