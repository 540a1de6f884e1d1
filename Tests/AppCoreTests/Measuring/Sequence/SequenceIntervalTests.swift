import AppCore
import FileFormats
import Geometry
import Testing

/// Within what the numbers of a sequence's boxes lie.
@Suite struct SequenceIntervalTests {
  private static let scene = SurfaceBoxTests.scene((0.6, 0.3, 0.4), distance: 1.8, pitch: 35)

  /// The scene as a phone's sensor reads it in one of many frames.
  private static func extent(_ seed: UInt64) -> ObjectExtent {
    SensorSizesTests.measured(scene, SensorSizesTests.warped(scene, seed: seed), .lidar)
  }

  /// The scene's box as so many frames measure it.
  private static func object(_ frames: Range<UInt64>) throws -> SequenceObject {
    var sequence = SequenceObjects()
    for seed in frames { sequence.add([extent(seed)], frame: "\(seed)") }
    #expect(sequence.objects.count == 1)
    return try #require(sequence.objects.first)
  }

  private static func lengths(_ sides: BoxDimensions) -> [Double] { [sides.x, sides.y, sides.z] }

  /// One frame makes a sequence's box as uncertain as its own.
  @Test func oneFrameIsAsSureAsItIs() throws {
    let alone = Self.extent(3)
    let own = Self.lengths(try #require(alone.errors).dimensions)
    let found = Self.lengths(try #require(Self.object(3..<4).errors).dimensions)
    for (own, found) in zip(own, found) { #expect(abs(found / own - 1) < 0.1, "\(found) of \(own)") }
  }

  /// Sides that all frames see are known better from many, but not without end; the truth lies within.
  @Test func intervalsShrinkWithFrames() throws {
    let (one, few, many) = (
      try #require(Self.object(1..<2).errors), try #require(Self.object(1..<5).errors),
      try #require(Self.object(1..<13).errors)
    )
    for side in [\BoxDimensions.x, \.y, \.z] {
      #expect(many.dimensions[keyPath: side] < one.dimensions[keyPath: side])
      #expect(many.dimensions[keyPath: side] > 0.3 * one.dimensions[keyPath: side])
    }
    #expect(few.dimensions.x < 0.95 * one.dimensions.x)
    #expect(few.ofVolume(try Self.object(1..<5).box) < one.ofVolume(try Self.object(1..<2).box))
    #expect(many.center.y < one.center.y)
    var (held, count) = (0, 0)
    for start in stride(from: UInt64(1), to: 40, by: 4) {
      let object = try Self.object(start..<start + 4)
      let errors = try #require(object.errors)
      let (found, truth) = (object.box.dimensions, Self.scene.size)
      let isTurned = abs(found.x - truth.x) > abs(found.x - truth.z)
      let real = [isTurned ? truth.z : truth.x, truth.y, isTurned ? truth.x : truth.z]
      for (side, (real, error)) in zip(Self.lengths(found), zip(real, Self.lengths(errors.dimensions))) {
        count += 1
        if abs(side - real) <= BoxErrors.deviations * error { held += 1 }
      }
    }
    #expect(10 * held >= 9 * count, "\(held) of \(count)")
  }

  /// A frame that sees a side well counts more than one that does not.
  @Test func sureFramesCountMore() throws {
    func seen(_ extent: ObjectExtent, width: Double) throws -> SeenObject {
      let box = try #require(extent.box3D)
      var sides = try #require(extent.sides)
      for side in [\BoxSides.minX, \.maxX, \.maxY, \.minZ, \.maxZ] { sides[keyPath: side] = .observed }
      return SeenObject(
        id: 0, className: "box", confidence: 0.9,
        box: Box3D(
          center: box.center,
          dimensions: BoxDimensions(x: width, y: box.dimensions.y, z: box.dimensions.z), yaw: box.yaw,
          method: .surfaces),
        sides: sides, errors: extent.errors, isRound: false, cloud: extent.cloud)
    }
    let near = SensorSizesTests.measured(Self.scene, SensorSizesTests.warped(Self.scene, seed: 1), .lidar)
    var afar = Self.scene
    afar.distance = 4
    let far = SensorSizesTests.measured(afar, SensorSizesTests.warped(afar, seed: 2), .lidar)
    #expect(try #require(far.errors).dimensions.x > 1.3 * #require(near.errors).dimensions.x)
    var sequence = SequenceObjects()
    sequence.add([try seen(near, width: 0.6)], frame: "near")
    sequence.add([try seen(far, width: 0.64)], frame: "far")
    let width = try #require(sequence.objects.first).box.dimensions.x
    #expect(width > 0.6 && width < 0.616, "\(width)")
  }

  /// The files of frames are enough to compute the intervals.
  @Test func intervalsAreReadFromFiles() throws {
    var (measured, read) = (SequenceObjects(), SequenceObjects())
    for seed in UInt64(1)...4 {
      let extent = Self.extent(seed)
      measured.add([extent], frame: "\(seed)")
      let file = ObjectExtent.json([extent])
      read.add(try SeenObject.objects(of: file) { _ in extent.cloud }, frame: "\(seed)")
    }
    func intervals(_ sequence: SequenceObjects) throws -> JSONValue {
      try #require(sequence.json["objects"]?[0]?["box3D"]?["interval95"])
    }
    let (own, found) = (try intervals(measured), try intervals(read))
    for name in ["dimensions", "center"] {
      for axis in 0..<3 {
        let (a, b) = (
          try #require(own[name]?[axis]?.numbers), try #require(found[name]?[axis]?.numbers)
        )
        #expect(zip(a, b).allSatisfy { abs($0 - $1) < 1e-4 }, "\(name) \(a) \(b)")
      }
    }
    for name in ["yaw", "floorArea", "volume"] {
      let (a, b) = (try #require(own[name]?.numbers), try #require(found[name]?.numbers))
      #expect(zip(a, b).allSatisfy { abs($0 - $1) < 1e-3 }, "\(name) \(a) \(b)")
    }
    let broken = ObjectExtent.json([Self.extent(1)]).serialized().replacing(
      "\"scale\":[", with: "\"scale\":[0,")
    #expect(throws: ObjectsFileError.self) {
      try SeenObject.objects(of: JSONValue.parse(broken)) { _ in [] }
    }
  }

  /// A thing whose distance is extrapolated is no object by itself, and one more sighting of an object that is there.
  @Test func extrapolatedDistancesMakeNoObjects() throws {
    func door(_ z: Double, isExtrapolated: Bool) -> SeenObject {
      SeenObject(
        id: 0, className: "door", confidence: 0.9,
        box: Box3D(
          center: Point3(0, 1, z), dimensions: BoxDimensions(x: 0.9, y: 2, z: 0.1), yaw: 0, method: .sixPoint),
        sides: nil, isRound: false, isExtrapolated: isExtrapolated, cloud: [])
    }
    var sequence = SequenceObjects()
    for (index, z) in [-9.0, -12, -16].enumerated() {
      sequence.add([door(z, isExtrapolated: true)], frame: "\(index)")
    }
    #expect(sequence.objects.isEmpty)
    sequence.add([door(-8, isExtrapolated: false)], frame: "3")
    sequence.add([door(-8.02, isExtrapolated: true)], frame: "4")
    sequence.add([door(-14, isExtrapolated: true)], frame: "5")
    #expect(sequence.objects.count == 1 && sequence.objects.first?.sightings.count == 2)
    #expect(sequence.json["counts"] == ["door": 1])
  }
}
