import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import Testing

@Suite struct SequenceTests {
  /// The largest error of a box fused from perfect readings, meters: the grid of points.
  static let gridError = 0.03

  static func extent(_ scene: TableScene, id: Int = 3) -> ObjectExtent {
    let sensor = MetricDepth(sensor: scene.sensor(width: 256, 192).depth)
    let found = scene.detection()
    let named = Detection(
      id: id, classId: found.classId, className: found.className, confidence: found.confidence,
      box: found.box,
      mask: found.mask)
    return ExtentEstimator(scene: scene.depthScene(sensor)).extent(of: named)
  }

  @Test func oneObjectSeenFromManySidesIsOne() throws {
    var sequence = SequenceObjects()
    for (number, pitch) in [35.0, 50, 65, 80].enumerated() {
      var scene = TableScene()
      scene.pitchDown = pitch * .pi / 180
      scene.distance = 1 + 0.1 * Double(number)
      sequence.add([Self.extent(scene)], frame: "\(number)")
    }
    let objects = sequence.objects
    #expect(objects.count == 1)
    let object = try #require(objects.first)
    #expect(object.sightings.map(\.frame) == ["0", "1", "2", "3"])
    let truth = TableScene()
    #expect(object.box.center.distance(to: truth.center) < 0.005)
    let found = object.box.dimensions
    #expect(
      abs(found.x - truth.size.x) < 0.005 && abs(found.y - truth.size.y) < 0.005
        && abs(found.z - truth.size.z) < 0.005, "\(found)")
    #expect(object.positionSpread < Self.gridError)
    #expect(sequence.json["counts"] == ["book": 1])
    #expect(sequence.json["objects"]?[0]?["sightings"] == 4)
  }

  /// From the front a cupboard has no depth, from the side no width: both are measured on the points of all views.
  @Test func viewsThatShowOtherFacesAreMeasuredTogether() throws {
    var sequence = SequenceObjects()
    var scene = SurfaceBoxTests.scene((0.8, 1.6, 0.4), distance: 2.4, pitch: 2, yaw: 0.1)
    var alone: [BoxDimensions] = []
    var first = SequenceObjects()
    first.add([SurfaceBoxTests.measured(scene)], frame: "0")
    let seen = try #require(first.objects.first?.sides)
    #expect([seen.minX, seen.maxX, seen.minZ, seen.maxZ].contains(.inferred))
    for azimuth in [0.0, 45, 90] {
      scene.azimuth = azimuth * .pi / 180
      let extent = SurfaceBoxTests.measured(scene)
      alone.append(try #require(extent.box3D).dimensions)
      sequence.add([extent], frame: "\(azimuth)")
    }
    let objects = sequence.objects
    #expect(objects.count == 1)
    let found = try #require(objects.first).box.dimensions
    #expect(abs(found.x - 0.8) < 0.01 && abs(found.y - 1.6) < 0.05 && abs(found.z - 0.4) < 0.01, "\(found)")
    let sides = try #require(objects.first?.sides)
    #expect(
      [sides.minX, sides.maxX, sides.minZ, sides.maxZ].count { $0 == .observed } >= 3 && sides.minY == .floor)
    #expect(sequence.json["objects"]?[0]?["box3D"]?["sides"]?["+y"] == "observed")
    let mean = alone.map(\.x).reduce(0, +) / Double(alone.count)
    #expect(abs(mean - 0.8) > 0.1, "the mean of the boxes is another")
  }

  @Test func twoObjectsOfAClassStayTwo() throws {
    var sequence = SequenceObjects()
    for frame in 0..<3 {
      var left = TableScene()
      var right = TableScene()
      left.position = (-0.35, 0)
      right.position = (0.35, 0)
      left.pitchDown = (45 + 10 * Double(frame)) * .pi / 180
      right.pitchDown = left.pitchDown
      // The order of detections changes from frame to frame.
      let both = [Self.extent(left, id: 0), Self.extent(right, id: 1)]
      sequence.add(frame == 1 ? both.reversed() : both, frame: "\(frame)")
    }
    let objects = sequence.objects
    #expect(objects.count == 2)
    #expect(objects.map { $0.box.center.x < 0 } == [true, false])
    #expect(objects.allSatisfy { $0.sightings.count == 3 })
    #expect(sequence.json["counts"] == ["book": 2])
  }

  @Test func halvesThatOverlapBecomeOne() throws {
    // First two parts far apart, then one sighting that covers both.
    var parts = SequenceObjects()
    var small = TableScene()
    small.size = (0.1, 0.1, 0.1)
    small.yaw = 0
    var shifted = small
    small.position = (-0.1, 0)
    shifted.position = (0.1, 0)
    var whole = small
    whole.size = (0.34, 0.1, 0.12)
    whole.position = (0, 0)
    parts.add([Self.extent(small)], frame: "0")
    parts.add([Self.extent(shifted)], frame: "1")
    #expect(parts.objects.count == 2)
    parts.add([Self.extent(whole)], frame: "2")
    #expect(parts.objects.count == 1)
    #expect(parts.objects[0].sightings.count == 3)
    #expect(SequenceObjects().objects.isEmpty)
  }

  @Test func objectsReadFromFilesAreThoseThatWereMeasured() throws {
    var measured = SequenceObjects()
    var read = SequenceObjects()
    for frame in 0..<2 {
      var scene = TableScene()
      scene.pitchDown = (45 + 10 * Double(frame)) * .pi / 180
      let extent = Self.extent(scene)
      measured.add([extent], frame: "\(frame)")
      let document = try JSONValue.parse(ObjectExtent.json([extent]).serialized())
      let seen = try SeenObject.objects(of: document) { id in
        #expect(id == extent.id)
        return extent.cloud
      }
      read.add(seen, frame: "\(frame)")
    }
    #expect(read.line(frames: 2) == "1 book in 2 frames")
    let (a, b) = (try #require(measured.objects.first), try #require(read.objects.first))
    #expect(a.box.center.distance(to: b.box.center) < 1e-5)
    #expect(a.sightings.map(\.frame) == b.sightings.map(\.frame))
    #expect(SequenceObjects().line(frames: 7) == "no objects in 7 frames")
    var anonymous = try #require(ObjectExtent.json([Self.extent(TableScene())])["objects"]?[0]?.object)
    anonymous["className"] = nil
    #expect(throws: ObjectsFileError.self) {
      try SeenObject.objects(
        of: ["schema": "ardf.objects/1", "objects": [.object(anonymous)]], cloud: { _ in [] })
    }
  }

  // MARK: Drift

  /// A frame of the table scene whose surfaces carry a pattern fixed to the world.
  static func frame(_ scene: TableScene, poseError: Vector3<World> = Vector3(0, 0, 0)) -> CapturedFrame {
    let (width, height) = (480, 360)
    let pose = scene.pose
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    for y in 0..<height {
      for x in 0..<width {
        let (u, v) = ((Double(x) + 0.5) * 4 - 0.5, (Double(y) + 0.5) * 4 - 0.5)
        let z = scene.cast(u, v, pose).z
        let point = pose.apply(
          TableScene.intrinsics.unproject(Point2(u + 0.5, v + 0.5), depth: min(z, 20)))
        let value = 128 + 50 * sin(point.x * 90) * cos(point.z * 70) + 40 * sin(point.x * 41 + point.z * 57)
        for channel in 0..<3 { pixels[(y * width + x) * 3 + channel] = UInt8(value) }
      }
    }
    let told = RigidTransform<CameraARKit, World>(rotation: pose.rotation, origin: pose.origin + poseError)
    return CapturedFrame(
      name: "f", image: RGBImage(width: width, height: height, pixels: pixels),
      imageSize: PixelSize(width: width, height: height), depth: scene.sensor(width: 160, 120).depth,
      intrinsics: TableScene.intrinsics.scaled(toWidth: width, height: height), cameraToWorld: told,
      orientation: .right)
  }

  static let object = Detection(
    id: 0, classId: 0, className: "book", confidence: 0.9, box: Rect(x: 150, y: 90, width: 180, height: 180))

  @Test func driftIsTheErrorOfThePose() throws {
    let reference = try #require(AnchorReference(Self.object, in: Self.frame(TableScene())))
    var moved = TableScene()
    moved.pitchDown += 0.06
    moved.distance += 0.05
    let still = try #require(reference.drift(in: Self.frame(moved)))
    #expect(still.meters < 0.003, "true poses: nothing drifts")
    #expect(still.correlation > 0.9)
    // 12 mm to the side (the camera's y axis is the world's x here).
    let sideways = try #require(reference.drift(in: Self.frame(moved, poseError: Vector3(0.012, 0, 0))))
    #expect(abs(sideways.lateralMeters - 0.012) < 0.003)
    #expect(abs(sideways.depthMeters) < 0.003)
    // 12 mm along the line of sight.
    let forward = moved.pose.forward * 0.012
    let along = try #require(reference.drift(in: Self.frame(moved, poseError: forward)))
    #expect(abs(along.depthMeters - 0.012) < 0.003)
  }

  @Test func withoutTheObjectThereIsNoDrift() throws {
    let frame = Self.frame(TableScene())
    let reference = try #require(AnchorReference(Self.object, in: frame))
    let away = CapturedFrame(
      name: "a", image: frame.image, imageSize: frame.imageSize, depth: frame.depth,
      intrinsics: frame.intrinsics,
      cameraToWorld: RigidTransform(rotation: Quaternion(yaw: 3), origin: .origin))
    #expect(reference.drift(in: away) == nil)
    let blind = CapturedFrame(name: "b", image: nil, imageSize: frame.imageSize)
    #expect(reference.drift(in: blind) == nil)
    #expect(AnchorReference(Self.object, in: blind) == nil)
  }
}
