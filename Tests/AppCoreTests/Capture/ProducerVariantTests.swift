import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Captures as apps, their versions and people's tools leave them.
@Suite struct ProducerVariantTests {
  private static let picture = RGBImage(width: 32, height: 24, color: Color(red: 1, green: 2, blue: 3))

  private static func write(
    _ place: TemporaryDirectory, pictures: [String], depths: [String], in folders: (String, String)
  ) throws {
    for name in pictures { try place.write(ImageCodec.encodePNG(picture), to: "\(folders.0)/\(name)") }
    for (index, name) in depths.enumerated() {
      let plane = Plane(
        width: 32, height: 24, elements: [UInt16](repeating: UInt16(1000 + index), count: 32 * 24))
      try place.write(ImageCodec.encodePNG(plane), to: "\(folders.1)/\(name)")
    }
  }

  private static func transforms(
    _ camera: String, _ frames: [(file: String, depth: String, x: String)], mark: String = ""
  ) -> String {
    let entries = frames.map { frame in
      """
      {"file_path": "\(frame.file)", "depth_file_path": "\(frame.depth)", "transform_matrix":
      [[1, 0, 0, \(frame.x)], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]}
      """
    }
    return "\(mark){\(camera), \"frames\": [\(entries.joined(separator: ","))]}"
  }

  private static let camera = "\"fl_x\": 30, \"fl_y\": 30, \"cx\": 16, \"cy\": 12"
  private static let frames = [("rgb/0.png", "depth/0.png", "0"), ("rgb/1.png", "depth/1.png", "0.1")]

  @Test(arguments: [
    transforms(camera + ", \"w\": 32, \"h\": 24", frames), transforms(camera, frames),
    transforms("\"camera_angle_x\": 0.9795", frames), transforms(camera, frames, mark: "\u{FEFF}"),
    transforms(
      camera, frames.map { ($0.0.replacing("/", with: #"\\"#), $0.1.replacing("/", with: #"\\"#), $0.2) }),
    transforms(camera, frames.map { ($0.0.replacing(".png", with: ""), $0.1, $0.2) }),
    transforms(camera + ", \"camera_model\": \"SIMPLE_RADIAL\", \"k1\": 0, \"is_fisheye\": false", frames),
    // As `sai-cli process --format nerfstudio` of Spectacular AI writes it.
    transforms(
      camera + ", \"w\": 32, \"h\": 24, \"k1\": 0, \"k2\": 0, \"p1\": 0, \"p2\": 0, \"aabb_scale\": 16, "
        + "\"orientation_override\": \"none\", \"ply_file_path\": \"./sparse_pc.ply\"",
      frames.map { ("./\($0.0)", "./\($0.1)", $0.2) }),
  ])
  func transformsOfOtherTools(text: String) throws {
    let place = try TemporaryDirectory()
    try Self.write(place, pictures: ["0.png", "1.png"], depths: ["0.png", "1.png"], in: ("rgb", "depth"))
    try place.write(text, to: "transforms.json")
    let source = try CaptureReader.open(place.path)
    #expect(source.frames.map(\.name) == ["0", "1"], "\(source.skipped)")
    let frame = try source.frame(at: 1)
    #expect(frame.depth != nil && abs((frame.intrinsics?.fx ?? 0) - 30) < 0.1)
    #expect(abs(frame.cameraToWorld.origin.x - 0.1) < 1e-9)
  }

  @Test(arguments: ["NaN", "Infinity", "-Infinity"])
  func aLostPoseIsItsFramesDefect(number: String) throws {
    let place = try TemporaryDirectory()
    try Self.write(place, pictures: ["0.png", "1.png"], depths: ["0.png", "1.png"], in: ("rgb", "depth"))
    try place.write(
      Self.transforms(Self.camera, [Self.frames[0], ("rgb/1.png", "depth/1.png", number)]),
      to: "transforms.json")
    let source = try CaptureReader.open(place.path)
    #expect(source.soundNames == ["0"] && source.damaged.map(\.name) == ["1"])
    #expect(source.damaged[0].reason.contains("transform_matrix"))
    #expect(throws: try #require(source.defects[1])) { try source.frame(at: 1) }
  }

  @Test func picturesGoWithPosesByTheirNumbers() throws {
    let place = try TemporaryDirectory()
    let numbers = Array(0..<12)
    try Self.write(
      place, pictures: numbers.map { "\($0).png" }, depths: numbers.map { "\($0).png" },
      in: ("color", "depth"))
    try place.write(
      numbers.map { "\($0) \($0) \($0 + 1)\n1 0 0 \(Double($0) / 10)\n0 1 0 0\n0 0 1 0\n0 0 0 1\n" }.joined(),
      to: "trajectory.log")
    try place.write(
      #"{"width": 32, "height": 24, "intrinsic_matrix": [30, 0, 0, 0, 30, 0, 15.5, 11.5, 1]}"#,
      to: "camera.json")
    let source = try CaptureReader.open(place.path)
    #expect(source.frames.map(\.name) == numbers.map(String.init))
    for (index, number) in numbers.enumerated() {
      #expect(abs(try source.frame(at: index).cameraToWorld.origin.x - Double(number) / 10) < 1e-9)
    }
    // A picture without depth keeps its place among the poses.
    try FileManager.default.removeItem(atPath: place.file("depth/4.png"))
    let rest = try CaptureReader.open(place.path)
    #expect(rest.skipped.map(\.name) == ["4"] && rest.frames.count == 11)
    #expect(abs(try rest.frame(at: 4).cameraToWorld.origin.x - 0.5) < 1e-9)
  }

  @Test func layoutsThatAreNotReadAreNamed() throws {
    func message(_ path: String) -> String {
      do {
        _ = try CaptureReader.open(path).frame(at: 0)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let place = try TemporaryDirectory()
    try Self.write(place, pictures: ["0.png"], depths: [], in: ("rgb", "depth"))
    try place.write([0x76, 0x2F, 0x31, 0x01], to: "depth/0.exr")
    #expect(message(place.path).contains("Record3D"))
    let clip = try place.write([1], to: "clip.r3d")
    #expect(message(clip).contains("not a zip archive"))
    let bare = try TemporaryDirectory()
    try Self.write(bare, pictures: ["0.png"], depths: ["0.png"], in: ("color", "depth"))
    #expect(message(bare.path).contains("--depth-map"))
    let pointer = try bare.write(
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 137419\n", to: "a.jpg")
    #expect(message(pointer).contains("Git LFS"))
  }

  @Test func twoFilesOfOneFrameAreRefused() throws {
    let fixture = try PublishedLayout.strayScanner.write()
    try fixture.directory.write(ImageCodec.encodePNG(Self.picture), to: "rgb/000001.PNG")
    #expect(throws: CaptureError.sameStem(files: ["rgb/000001.PNG", "rgb/000001.png"])) {
      try CaptureReader.open(fixture.path)
    }
  }

  /// A folder of pictures may be one of links, as splits of data sets are; a capture's files must lie in it.
  @Test func linksToPicturesAreFollowedAndBrokenOnesNamed() throws {
    let place = try TemporaryDirectory()
    try Self.write(place, pictures: ["1.png", "2.png"], depths: ["1.png", "2.png"], in: ("all", "maps"))
    try FileManager.default.createDirectory(atPath: place.file("val"), withIntermediateDirectories: true)
    for name in ["1.png", "2.png", "lost.png"] {
      try FileManager.default.createSymbolicLink(
        atPath: place.file("val/\(name)"), withDestinationPath: "../all/\(name)")
    }
    let source = try CaptureReader.open(place.file("val"))
    #expect(source.soundNames == ["1.png", "2.png"] && source.damaged.map(\.name) == ["lost.png"])
    #expect(try source.frame(at: 1).image != nil)
    try FileManager.default.createDirectory(atPath: place.file("scan/rgb"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.file("scan/rgb/0.png"), withDestinationPath: "../../all/1.png")
    try place.write(
      Self.transforms(Self.camera, [("rgb/0.png", "rgb/0.png", "0")]), to: "scan/transforms.json")
    #expect(throws: CaptureError.self) { try CaptureReader.open(place.file("scan")).frame(at: 0) }
  }

  /// Every frame is compared with the one before it, not the first two alone.
  @Test func aFrameWithAnothersPoseIsTold() throws {
    func summary(swapping: Bool) throws -> CaptureSummary {
      let place = try TemporaryDirectory()
      let numbers = Array(0..<6)
      for number in numbers {
        try place.write(ImageCodec.encodePNG(Self.picture), to: "color/\(number).png")
        // A wall that the camera moves away from by 0.2 m a frame.
        let plane = Plane(
          width: 32, height: 24, elements: [UInt16](repeating: UInt16(1000 + 200 * number), count: 32 * 24))
        try place.write(ImageCodec.encodePNG(plane), to: "depth/\(number).png")
      }
      try place.write(
        numbers.map { number in
          let z = -0.2 * Double(swapping && number == 4 ? 1 : number)
          return "\(number) \(number) \(number + 1)\n1 0 0 0\n0 1 0 0\n0 0 1 \(z)\n0 0 0 1\n"
        }.joined(), to: "trajectory.log")
      try place.write(
        #"{"width": 32, "height": 24, "intrinsic_matrix": [30, 0, 0, 0, 30, 0, 15.5, 11.5, 1]}"#,
        to: "camera.json")
      return try CaptureSummary(of: CaptureReader.open(place.path))
    }
    let sound = try summary(swapping: false)
    #expect(sound.comparedFrames == 5 && sound.disagreeing.isEmpty && sound.warnings.isEmpty)
    let wrong = try summary(swapping: true)
    #expect(wrong.disagreeing.map(\.name).sorted() == ["4", "5"])
    #expect(wrong.warnings.contains { $0.contains("2 of 5 frames") })
  }
}
