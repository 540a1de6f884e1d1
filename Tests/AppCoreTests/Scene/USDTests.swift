import AppCore
import Archives
import FileFormats
import Foundation
import Geometry
import Imaging
import Testing

@Suite struct USDTests {
  /// A turned camera, a box with points, a film, a cube and the object's points as effects.
  private static func scene() throws -> SceneModel {
    var scene = SceneModel()
    scene.cameras = [
      SceneModel.Camera(
        name: "00030",
        intrinsics: try Intrinsics(
          columnMajor: [1500, 0, 0, 0, 1600, 0, 949.5, 729.5, 1], imageWidth: 1920, imageHeight: 1440),
        cameraToWorld: RigidTransform(rotation: Quaternion(yaw: 0.5), origin: Point3(1, 2, 3)),
        orientation: .right)
    ]
    let box = Box3D(
      center: Point3(0.25, 0.5, -1), dimensions: BoxDimensions(x: 0.5, y: 0.25, z: 0.125), yaw: 0.3,
      method: .minimumArea)
    scene.objects = [
      SceneModel.Object(
        id: 4, className: "teddy \"bear\"", distanceMeters: 1.5, source: .sensor, box: box,
        cloud: [Point3(0.1, 0.2, 0.3)])
    ]
    for type in [EffectType.smoke, .debugCube, .debugMesh] {
      scene.effects.append(
        PlacedEffect(
          type: type, objectId: 4, transform: RigidTransform(rotation: box.rotation, origin: box.center),
          scale: 0.5, billboard: type == .smoke))
    }
    scene.points = PointCloud([Point3(1, 2.5, -3), Point3(0.1, 0, 1e-7)], color: .white)
    return scene
  }

  private static func text(_ scene: SceneModel) -> String {
    String(decoding: USDExporter.usda(scene), as: UTF8.self)
  }

  /// The rows of the transform of the first prim whose opening line contains `name`.
  private func transform(of name: String, in text: String) throws -> [[Double]] {
    let start = try #require(text.range(of: name)?.upperBound)
    let line = try #require(
      text[start...].split(separator: "\n").first { $0.contains("matrix4d xformOp:transform") })
    let numbers = line.split(whereSeparator: { !"0123456789.-e".contains($0) }).compactMap { Double($0) }
    // The type's name ends with a 4.
    let elements = Array(numbers.suffix(16))
    return (0..<4).map { Array(elements[4 * $0..<4 * $0 + 4]) }
  }

  @Test func statesUnitAndAxis() throws {
    let text = Self.text(try Self.scene())
    #expect(text.hasPrefix("#usda 1.0\n"))
    #expect(text.contains("metersPerUnit = 1\n"))
    #expect(text.contains("upAxis = \"Y\"\n"))
    #expect(text.contains("defaultPrim = \"Scene\"\n"))
    #expect(text.filter { $0 == "{" }.count == text.filter { $0 == "}" }.count)
  }

  @Test func matricesAreWrittenByRowsOfTheTransposed() throws {
    let scene = try Self.scene()
    let box = scene.objects[0].box
    let rows = try transform(of: "def Xform \"teddy__bear__4\"", in: Self.text(scene))
    #expect(rows[0] == [box.xAxis.x, box.xAxis.y, box.xAxis.z, 0])
    #expect(rows[2] == [box.zAxis.x, box.zAxis.y, box.zAxis.z, 0])
    #expect(rows[3] == [box.center.x, box.center.y, box.center.z, 1])
  }

  @Test func namesAreIdentifiersAndKept() throws {
    var scene = try Self.scene()
    scene.objects.append(scene.objects[0])
    let text = Self.text(scene)
    #expect(text.contains("def Xform \"teddy__bear__4\" ("))
    #expect(text.contains("def Xform \"teddy__bear__4_2\" ("))
    #expect(text.contains("displayName = \"teddy \\\"bear\\\" 4\""))
    #expect(text.contains("def Camera \"camera_00030\""))
  }

  @Test func turnedCameraSeesWhatThePictureShows() throws {
    let text = Self.text(try Self.scene())
    func number(_ attribute: String) throws -> Double {
      let line = try #require(text.split(separator: "\n").first { $0.contains("float \(attribute) = ") })
      return try #require(Double(line.split(separator: " ").last ?? ""))
    }
    // Upright the picture is 1440 pixels wide, its columns are the stored rows: focal length 1600 along them.
    let (focal, width, height) = (
      try number("focalLength"), try number("horizontalAperture"), try number("verticalAperture")
    )
    #expect(abs(width / (2 * focal) - 1440 / 3200.0) < 1e-12)
    #expect(abs(height / (2 * focal) - 1920 / 3000.0) < 1e-12)
    // A point straight ahead lies at the principal point: the window's middle as seen from there, over the focal length.
    let camera = try Self.scene().cameras[0]
    let ahead = camera.orientation.upright(
      try #require(camera.intrinsics.project(Point3(0, 0, -1))), stored: camera.intrinsics.imageSize)
    #expect(
      abs(try number("horizontalApertureOffset") / focal - (720 - ahead.x) / 1600) < 1e-12)
    #expect(abs(try number("verticalApertureOffset") / focal - (ahead.y - 960) / 1500) < 1e-12)
    #expect(abs(ahead.x - 720) > 5 && abs(ahead.y - 960) > 5, "one in the middle would show nothing")
  }

  /// Everything that is drawn says between which corners it lies, with the width of its points and lines.
  @Test func whatIsDrawnHasAnExtent() throws {
    let text = Self.text(try Self.scene())
    let drawn = text.split(separator: "\n").count { line in
      ["def Points ", "def Mesh ", "def BasisCurves "].contains { line.contains($0) }
    }
    #expect(text.split(separator: "\n").count { $0.contains("float3[] extent = [(") } == drawn && drawn > 4)
    #expect(text.contains("float3[] extent = [(0.098000005, -0.002, -3.002), (1.002, 2.502, 0.0020001)]"))
  }

  @Test func showsPointsBoxesAndEffects() throws {
    let text = Self.text(try Self.scene())
    #expect(text.contains("point3f[] points = [(1.0, 2.5, -3.0), (0.1, 0.0, 1e-07)]"))
    #expect(text.contains("(1.0, 1.0, 1.0), (1.0, 1.0, 1.0)] (interpolation = \"vertex\")"))
    #expect(text.contains("def Mesh \"effect_smoke_on_teddy__bear__4\""))
    #expect(text.contains("def Mesh \"effect_debugCube_on_teddy__bear__4\""))
    #expect(text.contains("def Points \"effect_debugMesh_on_teddy__bear__4\""))
    // Twelve edges.
    #expect(text.contains("int[] curveVertexCounts = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]"))
  }

  @Test func anEmptySceneIsAScene() {
    #expect(Self.text(SceneModel()).hasSuffix("def Xform \"Scene\"\n{\n}\n"))
  }

  @Test func archiveHoldsTheTextStoredAtAMultipleOf64() throws {
    let scene = try Self.scene()
    let bytes = USDExporter.usdz(scene)
    let archive = try ZipArchive(FileBytes(bytes))
    let member = try archive.member("scene.usda")
    #expect(archive.members.count == 1)
    #expect(member.method == .stored)
    #expect(member.dataRange.lowerBound % 64 == 0)
    #expect(try archive.contents(of: member).array() == USDExporter.usda(scene))
  }
}
