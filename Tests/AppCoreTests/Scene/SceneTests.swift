import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

/// A GLB file taken apart again, every rule of the container and of accessors checked on the way.
struct ParsedGLB {
  let json: JSONValue
  let binary: [UInt8]

  init(_ bytes: [UInt8]) throws {
    func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    try #require(bytes.count >= 20)
    #expect(bytes.starts(with: Array("glTF".utf8)))
    #expect(word(4) == 2)
    #expect(word(8) == bytes.count)
    #expect(bytes.count % 4 == 0)
    let jsonLength = word(12)
    #expect(jsonLength % 4 == 0)
    #expect(Array(bytes[16..<20]) == Array("JSON".utf8))
    json = try JSONValue.parse(Array(bytes[20..<20 + jsonLength]))
    let rest = 20 + jsonLength
    if rest < bytes.count {
      #expect(word(rest) == bytes.count - rest - 8)
      #expect(Array(bytes[rest + 4..<rest + 8]) == Array("BIN\0".utf8))
      binary = Array(bytes[(rest + 8)...])
    } else {
      binary = []
    }
  }

  func list(_ name: String) -> [JSONValue] { json[name]?.array ?? [] }

  func node(_ name: String) throws -> JSONValue {
    try #require(list("nodes").first { $0["name"]?.string == name }, "no node \(name)")
  }

  /// The accessor's bytes, its place in the buffer checked.
  func bytes(of accessor: JSONValue) throws -> [UInt8] {
    let view = list("bufferViews")[try #require(accessor["bufferView"]?.integer)]
    let offset = try #require(view["byteOffset"]?.integer)
    let length = try #require(view["byteLength"]?.integer)
    let component = [5123: 2, 5125: 4, 5126: 4][try #require(accessor["componentType"]?.integer)]
    let parts = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4][try #require(accessor["type"]?.string)]
    #expect(offset % 4 == 0)
    #expect(
      length == (try #require(accessor["count"]?.integer)) * (try #require(component)) * (try #require(parts))
    )
    #expect(offset + length <= (try #require(json["buffers"]?[0]?["byteLength"]?.integer)))
    #expect(offset + length <= binary.count)
    return Array(binary[offset..<offset + length])
  }

  func floats(of accessor: JSONValue) throws -> [Float] {
    let bytes = try bytes(of: accessor)
    return stride(from: 0, to: bytes.count, by: 4).map { offset in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) })
    }
  }

  func indices(of accessor: JSONValue) throws -> [Int] {
    let bytes = try bytes(of: accessor)
    return stride(from: 0, to: bytes.count, by: 4).map { offset in
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
  }

  /// Checks every reference and every accessor's bounds.
  func validate() throws {
    #expect(json["asset"]?["version"]?.string == "2.0")
    for node in json["scenes"]?[0]?["nodes"]?.array ?? [] {
      #expect(list("nodes").indices.contains(try #require(node.integer)))
    }
    for node in list("nodes") {
      if let mesh = node["mesh"] { #expect(list("meshes").indices.contains(try #require(mesh.integer))) }
      if let camera = node["camera"] {
        #expect(list("cameras").indices.contains(try #require(camera.integer)))
      }
      if let rotation = node["rotation"]?.numbers {
        let tolerance = 1e-6
        #expect(abs(rotation.reduce(0) { $0 + $1 * $1 } - 1) < tolerance)
      }
    }
    for primitive in list("meshes").flatMap({ $0["primitives"]?.array ?? [] }) {
      let positions = list("accessors")[try #require(primitive["attributes"]?["POSITION"]?.integer)]
      let count = try #require(positions["count"]?.integer)
      let values = try floats(of: positions)
      for axis in 0..<3 {
        let coordinates = stride(from: axis, to: values.count, by: 3).map { values[$0] }
        #expect(positions["min"]?[axis]?.number.map(Float.init) == coordinates.min())
        #expect(positions["max"]?[axis]?.number.map(Float.init) == coordinates.max())
      }
      if let colors = primitive["attributes"]?["COLOR_0"]?.integer {
        #expect(list("accessors")[colors]["count"]?.integer == count)
        _ = try bytes(of: list("accessors")[colors])
      }
      if let indices = primitive["indices"]?.integer {
        #expect(try indices_(indices).allSatisfy { $0 < count })
      }
      #expect(list("materials").indices.contains(try #require(primitive["material"]?.integer)))
    }
  }

  private func indices_(_ accessor: Int) throws -> [Int] { try indices(of: list("accessors")[accessor]) }
}

@Suite struct SceneTests {
  private func scene() throws -> SceneModel {
    var scene = SceneModel()
    let frame = CapturedFrame(
      name: "00030", image: RGBImage(width: 64, height: 48, color: .red),
      imageSize: PixelSize(width: 64, height: 48),
      depth: Plane(width: 16, height: 12, fill: 2), confidence: Plane(width: 16, height: 12, fill: 2),
      intrinsics: try Intrinsics(fx: 56, fy: 58, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48),
      cameraToWorld: RigidTransform(rotation: Quaternion(yaw: 0.3), origin: Point3(0.5, 1.5, 0.25)),
      orientation: .right)
    scene.cameras = [try #require(SceneModel.Camera(frame))]
    let box = Box3D(
      center: Point3(0, 1, -2), dimensions: BoxDimensions(x: 0.4, y: 0.3, z: 0.2), yaw: 0.7,
      method: .minimumArea)
    scene.objects = [
      SceneModel.Object(
        id: 3, className: "cup", distanceMeters: 2, source: .sensor, box: box,
        cloud: [Point3(0, 1, -2), Point3(0.1, 1.1, -2.1)])
    ]
    scene.points = PointCloud(frame)
    let place = RigidTransform<EffectSpace, World>(rotation: .identity, origin: Point3(0, 0.9, -2))
    scene.effects = [EffectType.flamethrower, .debugCube, .debugMesh].map {
      PlacedEffect(type: $0, objectId: 3, transform: place, scale: 0.4, billboard: !$0.isDebug)
    }
    return scene
  }

  @Test func fileIsValid() throws {
    let file = try ParsedGLB(SceneExporter.glb(try scene()))
    try file.validate()
    #expect(
      file.list("nodes").compactMap { $0["name"]?.string } == [
        "camera 00030", "frustum 00030", "cup 3", "points", "effect flamethrower on cup 3",
        "effect debugCube on cup 3", "effect debugMesh on cup 3",
      ])
  }

  @Test func emptySceneIsValid() throws {
    let file = try ParsedGLB(try SceneExporter.glb(SceneModel()))
    try file.validate()
    #expect(file.binary.isEmpty)
    #expect(file.json["nodes"] == nil)
  }

  @Test func sameSceneSameBytes() throws {
    #expect(try SceneExporter.glb(try scene()) == SceneExporter.glb(try scene()))
  }

  /// A view through the camera shows the objects: its picture lies before the near plane, and nothing else there.
  @Test func aViewThroughTheCameraIsNotHiddenByItsPicture() throws {
    let file = try ParsedGLB(SceneExporter.glb(try scene()))
    let nearest = try #require(file.list("cameras").first?["perspective"]?["znear"]?.number)
    #expect(nearest > 0.2 && nearest <= 0.25)
  }

  /// A portrait camera is as high as its sensor is wide, and looks upright.
  @Test func cameraIsUpright() throws {
    let file = try ParsedGLB(SceneExporter.glb(try scene()))
    let optics = try #require(file.list("cameras").first?["perspective"])
    let tolerance = 1e-12
    #expect(abs((try #require(optics["aspectRatio"]?.number)) - 0.75) < tolerance)
    #expect(abs((try #require(optics["yfov"]?.number)) - 2 * 0.51914611424652293) < tolerance)
    let q = try #require(try file.node("camera 00030")["rotation"]?.numbers)
    let rotation = try #require(Quaternion(x: q[0], y: q[1], z: q[2], w: q[3]))
    let up = rotation.rotate(Vector3<World>(0, 1, 0))
    let storedLeft = Quaternion(yaw: 0.3).rotate(Vector3<World>(-1, 0, 0))
    #expect((up - storedLeft).length < tolerance)
  }

  @Test func boxNodeHasTheBoxesPlaceAndSize() throws {
    let node = try ParsedGLB(SceneExporter.glb(try scene())).node("cup 3")
    #expect(node["translation"]?.numbers == [0, 1, -2])
    #expect(node["scale"]?.numbers == [0.4, 0.3, 0.2])
    #expect(node["rotation"]?.numbers == Quaternion(yaw: 0.7).xyzw)
    #expect(node["extras"]?["distanceMeters"]?.number == 2)
  }

  @Test func filmFacesTheCamera() throws {
    let node = try ParsedGLB(SceneExporter.glb(try scene())).node("effect flamethrower on cup 3")
    let q = try #require(node["rotation"]?.numbers)
    let rotation = try #require(Quaternion(x: q[0], y: q[1], z: q[2], w: q[3]))
    let normal = rotation.rotate(Vector3<World>(0, 0, 1))
    let toCamera = try #require(Vector3<World>(0.5, 0, 2.25).normalized())
    let tolerance = 1e-9
    #expect((normal - toCamera).length < tolerance)
    #expect(node["scale"]?.numbers == [0.8, 0.8, 1])
  }

  @Test func pictureOfTheCameraIsAValidTexture() throws {
    let file = try ParsedGLB(SceneExporter.glb(try scene()))
    let image = try #require(file.list("images").first)
    let view = file.list("bufferViews")[try #require(image["bufferView"]?.integer)]
    let offset = try #require(view["byteOffset"]?.integer)
    let length = try #require(view["byteLength"]?.integer)
    let picture = try ImageCodec.decode(Array(file.binary[offset..<offset + length])).image
    #expect(picture.size == PixelSize(width: 64, height: 48))
    #expect(picture[30, 20].red > 240)
    let texture = file.list("textures")[0]
    #expect(texture["source"]?.integer == 0)
    #expect(texture["sampler"]?.integer == 0)
    #expect(file.list("samplers").count == 1)
  }

  @Test func largePicturesAreReduced() throws {
    var scene = try scene()
    scene.cameras[0].picture = RGBImage(width: 1600, height: 1200, color: .cyan)
    let file = try ParsedGLB(SceneExporter.glb(scene))
    try file.validate()
    let view = file.list("bufferViews")[try #require(file.list("images").first?["bufferView"]?.integer)]
    let offset = try #require(view["byteOffset"]?.integer)
    let header = try ImageCodec.header(Array(file.binary[offset...]))
    #expect(header.size == PixelSize(width: 400, height: 300))
  }

  @Test func debugMeshWithoutPointsIsLeftOut() throws {
    var scene = try scene()
    scene.objects[0].cloud = []
    let names = try ParsedGLB(SceneExporter.glb(scene)).list("nodes").compactMap { $0["name"]?.string }
    #expect(!names.contains("effect debugMesh on cup 3"))
  }

  @Test func pointsLieWhereDepthSays() throws {
    let frame = CapturedFrame(
      name: "wall", image: RGBImage(width: 64, height: 48, color: .cyan),
      imageSize: PixelSize(width: 64, height: 48),
      depth: Plane(width: 16, height: 12, fill: 2),
      intrinsics: try Intrinsics(fx: 56, fy: 56, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48))
    let cloud = PointCloud(frame)
    #expect(cloud.count == 16 * 12)
    // The first cell's center is 7.5 cells left of and 5.5 above the axis; f = 14 cells.
    let tolerance: Float = 1e-6
    #expect(abs(cloud.coordinates[0] - Float(-7.5 * 2 / 14)) < tolerance)
    #expect(abs(cloud.coordinates[1] - Float(5.5 * 2 / 14)) < tolerance)
    #expect(cloud.coordinates[2] == -2)
    #expect(Array(cloud.colors[0..<3]) == [0, 255, 255])
  }

  @Test func uncertainAndFarCellsMakeNoPoints() throws {
    var depth = Plane<Float>(width: 16, height: 12, fill: 2)
    depth.elements[0] = 0
    depth.elements[1] = .nan
    depth.elements[2] = 6
    var confidence = Plane<UInt8>(width: 16, height: 12, fill: 2)
    confidence.elements[3] = 0
    let frame = CapturedFrame(
      name: "wall", image: nil, imageSize: PixelSize(width: 64, height: 48), depth: depth,
      confidence: confidence,
      intrinsics: try Intrinsics(fx: 56, fy: 56, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48))
    #expect(PointCloud(frame).count == 16 * 12 - 3)
    var short = frame
    short.sensor = SensorModel(.lidar, maximumRange: 5)
    #expect(PointCloud(short).count == 16 * 12 - 4)
  }

  /// A cell that the sensor is not sure of takes what fused depth carries over, and nothing from the fit alone.
  @Test func gapsAreFilledFromGuidedDepth() throws {
    let depth = Plane<Float>(width: 16, height: 12, fill: 2)
    var confidence = Plane<UInt8>(width: 16, height: 12, fill: 2)
    confidence.elements[20] = 0
    confidence.elements[40] = 0
    let frame = CapturedFrame(
      name: "wall", image: nil, imageSize: PixelSize(width: 64, height: 48), depth: depth,
      confidence: confidence,
      intrinsics: try Intrinsics(fx: 56, fy: 56, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48))
    var codes = Plane<UInt8>(width: 16, height: 12, fill: 1)
    codes.elements[20] = 2
    codes.elements[40] = 3
    let fused = try #require(MetricDepth(values: Plane(width: 16, height: 12, fill: 1.5), codes: codes))
    let cloud = PointCloud(frame, fused: fused)
    #expect(cloud.count == 16 * 12 - 1)
    #expect(cloud.coordinates[3 * 20 + 2] == -1.5 && cloud.coordinates[3 * 19 + 2] == -2)
  }

  /// Where single precision tells nothing small apart, files count from a place beside the scene.
  @Test func farScenesCountFromAPlaceBesideThem() throws {
    func scene(at east: Double) throws -> SceneModel {
      let frame = CapturedFrame(
        name: "wall", image: nil, imageSize: PixelSize(width: 64, height: 48),
        depth: Plane(width: 16, height: 12, fill: 2),
        intrinsics: try Intrinsics(fx: 56, fy: 56, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48),
        cameraToWorld: RigidTransform(rotation: .identity, origin: Point3(east, 0, 0)))
      return SceneModel(frame: frame, extents: [], effects: [])
    }
    let (near, far) = (try scene(at: 0), try scene(at: 5e6))
    #expect(far.points.origin == Point3(5e6, 0, 0) && near.points.origin == .origin)
    for (a, b) in zip(near.points.coordinates, far.points.coordinates) { #expect(abs(a - b) < 1e-6) }
    let nodes = try ParsedGLB(SceneExporter.glb(far)).list("nodes")
    let root = try #require(nodes.first { $0["name"] == "origin" })
    #expect(root["translation"]?.numbers == [5e6, 0, 0])
    #expect(root["children"]?.array?.count == nodes.count - 1)
    #expect(try !ParsedGLB(SceneExporter.glb(near)).list("nodes").contains { $0["name"] == "origin" })
  }

  @Test func plyReadsBack() throws {
    var cloud = PointCloud()
    cloud.append(Point3(1.5, -2, 0.25), Color(red: 1, green: 2, blue: 3))
    cloud.append(Point3(0, 4, -8), .white)
    let bytes = PLYFile.encode(cloud)
    let marker = Array("end_header\n".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: marker) }) + marker.count
    let header = String(decoding: bytes[..<start], as: UTF8.self)
    #expect(header.hasPrefix("ply\nformat binary_little_endian 1.0\n"))
    #expect(header.contains("element vertex 2\n"))
    #expect(bytes.count - start == 2 * 15)
    let second = start + 15
    let y = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[second + 4 + $1]) << (8 * UInt32($1)) }
    #expect(Float(bitPattern: y) == 4)
    #expect(Array(bytes[start + 12..<start + 15]) == [1, 2, 3])
  }
}
