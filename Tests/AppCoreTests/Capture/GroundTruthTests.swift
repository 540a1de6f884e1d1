import AppCore
import Archives
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Laser depth and annotated boxes of ARKitScenes and CA-1M, written as their publishers lay them out.
@Suite struct GroundTruthTests {
  private static let box = (center: Point3<World>(0.3, 0.4, -0.8), sides: [0.6, 0.9, 0.4], yaw: 0.35)

  private static func numbers(_ values: [Double]) -> JSONValue { .array(values.map(JSONValue.number)) }

  private static func expectBox(_ found: [AnnotatedBox], _ label: String) throws {
    let only = try #require(found.first)
    #expect(found.count == 1 && only.label == label)
    #expect(only.box.center.distance(to: box.center) < 1e-9)
    let (sides, turn) = (only.box.dimensions, only.box.yaw - box.yaw)
    let isTurned = (turn / (.pi / 2)).rounded().truncatingRemainder(dividingBy: 2) != 0
    let expected = isTurned ? [box.sides[2], box.sides[1], box.sides[0]] : box.sides
    #expect(maximumAbsoluteDifference([sides.x, sides.y, sides.z], expected).value < 1e-9)
    #expect(abs(turn - (turn / (.pi / 2)).rounded() * .pi / 2) < 1e-9)
  }

  /// The box's axes in the world with y up.
  private static var axes: [[Double]] {
    let turn = Quaternion(yaw: box.yaw)
    return [Vector3<World>(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)].map {
      let axis = RigidTransform<World, World>(rotation: turn, origin: .origin).apply($0)
      return [axis.x, axis.y, axis.z]
    }
  }

  @Test func boxesOfARKitScenes() throws {
    let fixture = try PublishedLayout.arkitScenes.write()
    func zUp(_ v: [Double]) -> [Double] { [v[0], -v[2], v[1]] }
    func entry(_ label: String, _ center: [Double]) -> JSONValue {
      // Height is the third of its axes there, and axes are rows.
      let rows = [Self.axes[0], Self.axes[2], Self.axes[1]].map(zUp)
      return [
        "label": .string(label), "uid": "a",
        "segments": [
          "obbAligned": [
            "centroid": Self.numbers(zUp(center)), "normalizedAxes": Self.numbers(rows.flatMap { $0 }),
            "axesLengths": Self.numbers([Self.box.sides[0], Self.box.sides[2], Self.box.sides[1]]),
          ]
        ],
      ]
    }
    let source = try CaptureReader.open(fixture.path)
    let frame = try source.frame(at: 0)
    #expect(throws: CaptureError.self) { try BoxAnnotations(of: source) }
    // In the middle of what the frame sees, and behind the camera.
    let ahead = frame.cameraToWorld.apply(Point3<CameraARKit>(0, 0, -0.5))
    let behind = frame.cameraToWorld.apply(Point3<CameraARKit>(0, 0, 3))
    try fixture.write(
      fields: [
        "skipped": false,
        "data": [
          entry("chair", [ahead.x, ahead.y, ahead.z]), entry("bed", [behind.x, behind.y, behind.z]),
        ],
      ], to: "41048190_3dod_annotation.json")
    let found = try BoxAnnotations(of: source).boxes(of: frame)
    let moved = try #require(found.first)
    #expect(found.count == 1 && moved.label == "chair")
    #expect(moved.box.center.distance(to: ahead) < 1e-9)
    #expect(abs(moved.box.dimensions.y - Self.box.sides[1]) < 1e-9)
    #expect(Box3DTests.halfTurnDifference(moved.box.yaw, Self.box.yaw) < 1e-9)
    #expect(abs(moved.box.dimensions.x - Self.box.sides[0]) < 1e-9)
    try fixture.write(fields: ["data": [["label": "chair"]]], to: "41048190_3dod_annotation.json")
    #expect(throws: CaptureError.self) { try BoxAnnotations(of: source) }
  }

  @Test func boxesOfCA1M() throws {
    let fixture = try PublishedLayout.ca1m.write()
    let source = try CaptureReader.open(fixture.path)
    let frame = try source.frame(at: 1)
    let toCamera = frame.cameraToWorld.inverse
    func openCV(_ v: Vector3<CameraARKit>) -> [Double] { [v.x, -v.y, -v.z] }
    let center = toCamera.apply(Self.box.center)
    let columns = Self.axes.map { openCV(toCamera.apply(Vector3<World>($0[0], $0[1], $0[2]))) }
    let instance: JSONValue = [
      "id": "a", "category": "night stand", "position": Self.numbers([center.x, -center.y, -center.z]),
      "scale": Self.numbers(Self.box.sides),
      "R": .array((0..<3).map { row in Self.numbers(columns.map { $0[row] }) }),
    ]
    let folder = "\(frame.name).wide"
    try fixture.directory.write(
      Array(JSONValue.array([instance]).serialized().utf8), to: "\(folder)/instances.json")
    try Self.expectBox(try BoxAnnotations(of: source).boxes(of: frame), "night stand")
    try fixture.directory.write(Array("[{}]".utf8), to: "\(folder)/instances.json")
    #expect(throws: CaptureError.self) { try BoxAnnotations(of: source).boxes(of: frame) }
  }

  /// Each frame's laser depth: by its time, or by its name; a frame without any has none.
  @Test(arguments: [PublishedLayout.arkitScenes, .ca1m]) func laserDepthIsTheFrames(_ layout: PublishedLayout)
    throws
  {
    let fixture = try layout.write()
    let source = try CaptureReader.open(fixture.path)
    if layout == .arkitScenes {
      #expect(throws: CaptureError.self) { try LaserDepth(of: source) }
      try fixture.makeFolder("highres_depth")
    }
    let size = PixelSize(width: 16, height: 12)
    for index in 0..<2 {
      let plane = Plane<UInt16>(
        width: size.width, height: size.height,
        elements: [UInt16](repeating: UInt16(1500 + index), count: size.width * size.height))
      // Recorded a few milliseconds apart.
      let name =
        layout == .ca1m
        ? "\(layout.names[index]).gt/depth.png"
        : "highres_depth/41048190_\(((layout.timestamps[index] + 0.004) * 1000).rounded() / 1000).png"
      try fixture.directory.write(ImageCodec.encodePNG(plane), to: name)
    }
    let laser = try LaserDepth(of: source)
    for index in 0..<2 {
      let map = try #require(try laser.map(of: source.frames[index]))
      #expect(map.size == size)
      #expect(map.elements.allSatisfy { abs($0 - Float(1500 + index) / 1000) < 1e-6 })
    }
    #expect(try laser.map(of: source.frames[2]) == nil)

    // The same of the capture as one file, whose sensor the user states.
    let packed = try TemporaryDirectory()
    let files = try Self.files(in: fixture.path).map { ("video/\($0)", try fixture.directory.read($0)) }
    let path = try packed.write(ZipWriter.archive(files), to: "video.zip")
    let archived = SensorOverride(try CaptureReader.open(path), kind: .lidar, maximumRange: nil)
    let unpacked = try LaserDepth(of: archived)
    for index in 0..<3 {
      #expect(
        try unpacked.map(of: archived.frames[index])?.elements
          == laser.map(of: source.frames[index])?.elements)
    }
    if layout == .ca1m {
      let named = #expect(throws: CaptureError.self) {
        try BoxAnnotations(of: archived).boxes(of: archived.frame(at: 0))
      }
      let words = named.map { "\($0)" } ?? ""
      #expect(words.contains("instances.json"), "\(words)")
    } else {
      #expect(throws: CaptureError.self) {
        try BoxAnnotations(of: archived)
      }
    }
  }

  /// The paths of a folder's files, from it.
  private static func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
      let entry = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      return entry[.type] as? FileAttributeType == .typeRegular
    }.sorted()
  }

  /// A frame of CA-1M with a damaged file is known by name, and the others are read.
  @Test(arguments: [
    ("gt/RT.json", "[[1, 2], [3]]"), ("gt/RT.json", "{}"), ("gt/RT.json", "[]"),
    ("wide/image/K.json", "[1, 2"),
    ("wide/image/K.json", "[[50, 9, 32.5], [0, 51, 22.5], [0, 0, 1]]"), ("wide/image/K.json", "[1e999]"),
  ]) func damagedFramesAreKnown(file: String, text: String) throws {
    let fixture = try PublishedLayout.ca1m.write()
    try fixture.directory.write(text, to: "\(PublishedLayout.ca1m.names[1]).\(file)")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.soundNames == [PublishedLayout.ca1m.names[0], PublishedLayout.ca1m.names[2]])
    #expect(source.damaged.map(\.name) == [PublishedLayout.ca1m.names[1]])
    #expect(try #require(source.damaged.first).reason.contains(file.split(separator: "/").last ?? ""))
  }

  @Test func otherLayoutsHaveNone() throws {
    let fixture = try PublishedLayout.polycam.write()
    try withExtendedLifetime(fixture) {
      let source = try CaptureReader.open(fixture.path)
      #expect(throws: CaptureError.self) { try LaserDepth(of: source) }
      #expect(throws: CaptureError.self) { try BoxAnnotations(of: source) }
    }
  }
}
