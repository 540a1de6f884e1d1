import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import Testing

@Suite struct PlacementTests {
  static let rounding = 1e-9
  /// Files hold micrometers.
  static let file = 1e-6

  /// A measured object, 1.2 m away, with a cloud and a box.
  static func object(cells: Int = 1000) -> ObjectExtent {
    var depth = [Float](repeating: 0, count: 256 * 192)
    for index in 0..<cells { depth[(80 + index % 25) * 256 + 100 + index / 25] = 1.2 }
    let scene = ObjectExtentTests.scene(
      MetricDepth(sensor: Plane(width: 256, height: 192, elements: depth)))
    return ExtentEstimator(scene: scene).extent(of: ObjectExtentTests.detection())
  }

  @Test func scaleIsTheLargerSideWithinLimits() {
    #expect(EffectScale.scale(worldWidth: 0.4, worldHeight: 0.7) == 0.7)
    #expect(EffectScale.scale(worldWidth: 0.01, worldHeight: 0.02) == 0.1)
    #expect(EffectScale.scale(worldWidth: 12, worldHeight: 0.02) == 3)
    #expect(EffectScale.scale(worldWidth: .nan, worldHeight: .nan) == 0.1)
    #expect(EffectScale.scale(worldWidth: .infinity, worldHeight: 0) == 3)
  }

  @Test func cataloguesOfferTheirEffects() {
    #expect(EffectCatalogue.films.effects.count == 13)
    #expect(Set(EffectCatalogue.films.effects).count == 13)
    #expect(!EffectCatalogue.films.effects.contains(.dragonBreath))
    #expect(
      EffectCatalogue.models.effects
        == [.flamethrower, .explosion, .lightning, .dragonBreath, .smoke, .debugCube])
    #expect(
      Set(EffectCatalogue.films.effects + EffectCatalogue.models.effects) == Set(EffectType.allCases))
    #expect(EffectCatalogue.films.kind(of: .smoke) == .video)
    #expect(EffectCatalogue.models.kind(of: .smoke) == .model)
    #expect(EffectCatalogue.models.kind(of: .debugCube) == .debug)
    #expect(EffectCatalogue.films.available(assets: []) == [.debugCube, .debugMesh])
    #expect(
      EffectCatalogue.films.available(assets: ["snow", "Explosion", "dragon_breath", "other"])
        == [.explosion, .snow, .debugCube, .debugMesh])
    #expect(EffectType(name: "debug-cube") == .debugCube && EffectType(name: "fire") == nil)
  }

  @Test func filmsStandAboveTheLowerFace() throws {
    let object = Self.object()
    let box = try #require(object.box3D)
    let placed = try PlacedEffect(.smoke, on: object)
    #expect(abs(placed.position.y - (box.center.y - box.dimensions.y / 2 + 0.02)) < Self.rounding)
    #expect(placed.position.x == box.center.x && placed.position.z == box.center.z)
    #expect(placed.billboard && placed.objectId == object.id)
    #expect(
      placed.scale == EffectScale.scale(worldWidth: object.worldWidth!, worldHeight: object.worldHeight!))
    let cube = try PlacedEffect(.debugCube, on: object)
    #expect(cube.position == box.center && !cube.billboard)
    #expect((cube.transform.xAxis - box.xAxis).length < Self.rounding)
    #expect(try PlacedEffect(.debugMesh, on: object).transform == .identity)
  }

  @Test func flatObjectsLiftByHalfTheirHeight() throws {
    // Three readings: six points, seen flat on, so the box keeps its least height in a straight-down view.
    let pose = try RigidTransform<CameraARKit, World>(columnMajor: [
      0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1.5, 0, 1,
    ])
    let scene = ObjectExtentTests.scene(
      ObjectExtentTests.sensor([(110, 90, 1.5), (111, 90, 1.5), (112, 90, 1.5)]), pose: pose)
    let flat = ExtentEstimator(scene: scene).extent(of: ObjectExtentTests.detection())
    let box = try #require(flat.box3D)
    #expect(box.dimensions.y == 0.02)
    #expect(abs(try PlacedEffect(.snow, on: flat).position.y - (box.bottomCenter.y + 0.01)) < Self.rounding)
  }

  @Test func objectsWithoutAPlaceRefuse() {
    let nowhere = ExtentEstimator(scene: ObjectExtentTests.scene(nil)).extent(
      of: ObjectExtentTests.detection())
    #expect(throws: PlacementError.noExtent(objectId: 1, .snow)) { try PlacedEffect(.snow, on: nowhere) }
    var queue = EffectQueue()
    #expect(throws: PlacementError.noExtent(objectId: 1, .snow)) { try queue.enqueue(.snow, on: nowhere) }
    #expect(queue.entries.isEmpty)
  }

  @Test func queuesPlaceInOrderAndEmpty() throws {
    let object = Self.object()
    // A distance from everything in the window, but no reading on the mask: no points.
    let window = ObjectExtentTests.sensor((0..<9).map { (130 + $0 % 3, 90 + $0 / 3, 1) })
    let pointless = ExtentEstimator(scene: ObjectExtentTests.scene(window)).extent(
      of: ObjectExtentTests.detection(mask: ObjectExtentTests.mask(leftOfCell: 120)))
    #expect(pointless.box3D != nil && pointless.cloud.isEmpty)
    var queue = EffectQueue()
    try queue.enqueue(.smoke, on: object)
    try queue.enqueue(.debugMesh, on: pointless)
    try queue.enqueue(.snow, on: object)
    try queue.enqueue(.love, on: object)
    queue.remove(at: 3)
    let result = queue.placeAll()
    #expect(result.placed.map(\.type) == [.smoke, .snow])
    #expect(result.refused == [.noPoints(objectId: 1)])
    #expect(queue.entries.isEmpty)
    #expect(queue.placeAll().placed.isEmpty)
  }

  @Test func billboardsFaceTheViewer() throws {
    let placed = PlacedEffect(
      type: .snow, objectId: nil,
      transform: RigidTransform(rotation: .identity, origin: Point3(1, 0, 1)), scale: 1, billboard: true)
    for viewer in [Point3<World>(1, 5, 9), Point3(4, 0, 1), Point3(-2, -1, -3)] {
      let normal = placed.transform(facing: viewer).zAxis
      let toward = try #require(Vector3<World>(viewer.x - 1, 0, viewer.z - 1).normalized())
      #expect((normal - toward).length < Self.rounding)
    }
    #expect(Billboard.yaw(at: Point3(0, 0, 0), facing: Point3(1, 7, 1)) == .pi / 4)
    #expect(Billboard.yaw(at: Point3(0, 0, 0), facing: Point3(0, 3, 0)) == 0)
    let fixed = PlacedEffect(
      type: .debugCube, objectId: nil, transform: .identity, scale: 1, billboard: false)
    #expect(fixed.transform(facing: Point3(5, 5, 5)) == .identity)
  }

  @Test func planesAndPictures() {
    let size = Billboard.planeSize(scale: 0.5, aspect: 16.0 / 9)
    #expect(size.width == 1 && abs(size.height - 9.0 / 16) < Self.rounding)
    #expect(Billboard.middleOffset(scale: 0.5, aspect: 1, pivot: .center) == 0)
    #expect(Billboard.middleOffset(scale: 0.5, aspect: 2, pivot: .bottom) == 0.25)
    #expect(Billboard.frameIndex(time: 0, framesPerSecond: 30, count: 90) == 0)
    #expect(Billboard.frameIndex(time: 1.05, framesPerSecond: 30, count: 90) == 31)
    #expect(Billboard.frameIndex(time: 3.0, framesPerSecond: 30, count: 90) == 0)
    #expect(Billboard.frameIndex(time: -0.01, framesPerSecond: 30, count: 90) == 89)
    #expect(Billboard.frameIndex(time: .infinity, framesPerSecond: 30, count: 90) == 0)
  }

  @Test func scenesRoundTrip() throws {
    let object = Self.object()
    let scene = SceneFile(
      effects: try [.smoke, .debugCube, .debugMesh].map { try PlacedEffect($0, on: object) } + [
        PlacedEffect(type: .love, objectId: nil, transform: .identity, scale: 0.1, billboard: true)
      ])
    let read = try SceneFile(json: JSONValue.parse(scene.json.serialized(pretty: true)))
    #expect(read.effects.map(\.type) == scene.effects.map(\.type))
    #expect(read.effects.map(\.objectId) == scene.effects.map(\.objectId))
    #expect(read.effects.map(\.billboard) == scene.effects.map(\.billboard))
    for (a, b) in zip(read.effects, scene.effects) {
      #expect(abs(a.scale - b.scale) <= Self.file)
      #expect(zip(a.transform.columnMajor, b.transform.columnMajor).allSatisfy { abs($0 - $1) <= Self.file })
    }
  }

  static let transform = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"

  @Test(arguments: [
    (#"{}"#, SceneFileError.schema(found: nil)),
    (#"{"schema":"ardf.scene/2","effects":[]}"#, .schema(found: "ardf.scene/2")),
    (#"{"schema":"ardf.scene/1"}"#, .field("effects")),
    (#"{"schema":"ardf.scene/1","effects":[{}]}"#, .field("effects[0].type")),
    (#"{"schema":"ardf.scene/1","effects":[{"type":"snow"}]}"#, .field("effects[0].objectId")),
    (
      #"{"schema":"ardf.scene/1","effects":[{"type":"snow","objectId":1,"transform":[1,"a"]}]}"#,
      .field("effects[0].transform")
    ),
    (
      #"{"schema":"ardf.scene/1","effects":[{"type":"snow","objectId":1,"transform":\#(transform),"scale":9}]}"#,
      .field("effects[0].scale")
    ),
    (
      #"{"schema":"ardf.scene/1","effects":[{"type":"snow","objectId":1,"transform":\#(transform),"scale":1}]}"#,
      .field("effects[0].billboard")
    ),
    (
      #"{"schema":"ardf.scene/1","effects":[{"type":"snow","objectId":null,"transform":[1,2],"scale":1,"billboard":true}]}"#,
      .transform(index: 0, .badElementCount(expected: 16, found: 2))
    ),
  ]) func malformedScenesAreNamed(_ text: String, _ expected: SceneFileError) {
    #expect(throws: expected) { try SceneFile(json: JSONValue.parse(text)) }
  }
}
