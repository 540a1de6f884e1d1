import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

private let tolerance = 1e-9

/// Variants that the published layouts leave open.
@Suite struct LayoutVariantTests {
  private func frame(_ fixture: CaptureFixture, _ index: Int = 0) throws -> CapturedFrame {
    try CaptureReader.open(fixture.path).frame(at: index, decodingImage: false)
  }

  /// Writes transforms.json again with other fields; nil removes one.
  private func changeTransforms(
    _ fixture: CaptureFixture, _ changes: [String: JSONValue?] = [:], frame: [String: JSONValue?] = [:]
  ) throws {
    var fields = try #require(try JSONValue.parse(fixture.directory.read("transforms.json")).object)
    for (field, value) in changes { fields[field] = value }
    var frames = try #require(fields["frames"]?.array)
    var first = try #require(frames[0].object)
    for (field, value) in frame { first[field] = value }
    frames[0] = .object(first)
    fields["frames"] = .array(frames)
    try fixture.write(
      fields: Dictionary(fields.map { ($0.key, $0.value) }) { $1 }, to: "transforms.json")
  }

  @Test func strayScannerWithACameraForEachFrame() throws {
    let fixture = try PublishedLayout.strayScanner.write()
    let text = String(decoding: try fixture.directory.read("odometry.csv"), as: UTF8.self)
    var lines = text.split(separator: "\n").map(String.init)
    lines[0] += ", fx, fy, cx, cy"
    for line in 1..<lines.count { lines[line] += ", \(1200 + 30 * line), 1530, 989.5, 689.5" }
    try fixture.directory.write(lines.joined(separator: "\r\n"), to: "odometry.csv")
    #expect(try frame(fixture, 0).intrinsics?.fx == 41)
    #expect(try frame(fixture, 2).intrinsics?.fx == 43)
  }

  @Test func strayScannerWithItsVideoOnly() throws {
    let fixture = try PublishedLayout.strayScanner.write()
    try fixture.remove("rgb")
    try fixture.directory.write("", to: "rgb.mp4")
    let error = #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.path) }
    #expect(error == .picturesInVideo(video: "rgb.mp4", folder: "rgb"))
    #expect(
      error?.description.hasSuffix(
        "ffmpeg -noautorotate -i rgb.mp4 -fps_mode passthrough -start_number 0 -q:v 2 rgb/%06d.jpg") == true)
    #expect(error?.fault == .malformedInput)
  }

  @Test func transformsByTheirOwnPath() throws {
    let fixture = try PublishedLayout.transforms.write()
    let source = try CaptureReader.open(fixture.directory.file("transforms.json"))
    #expect(source.frames.count == 3)
  }

  @Test func transformsWithAnglesAndWithoutEndings() throws {
    let fixture = try PublishedLayout.transforms.write()
    // Twice the arc tangent of 0.5: the focal length is the picture's width.
    try changeTransforms(
      fixture,
      [
        "fl_x": .some(nil), "fl_y": .some(nil), "cx": .some(nil), "cy": .some(nil),
        "camera_angle_x": 0.9272952180016122,
      ], frame: ["file_path": "./images/image_0"])
    let camera = try #require(try frame(fixture).intrinsics)
    #expect(abs(camera.fx - 64) < tolerance)
    #expect(camera.fy == camera.fx)
    #expect([camera.cx, camera.cy] == [31.5, 23.5])
  }

  @Test func transformsWithACameraForOneFrame() throws {
    let fixture = try PublishedLayout.transforms.write()
    try changeTransforms(fixture, frame: ["fl_x": 100, "fl_y": 102, "cx": 66, "cy": 46, "w": 128, "h": 96])
    let own = try #require(try frame(fixture).intrinsics)
    #expect([own.fx, own.fy, own.cx, own.cy] == [50, 51, 32.5, 22.5])
    try changeTransforms(fixture, frame: ["w": 64, "h": 48, "cx": 33, "cy": 23])
    #expect(try frame(fixture).intrinsics?.fx == 100)
    #expect(try frame(fixture, 1).intrinsics?.fx == 50)
  }

  @Test(arguments: ["integer_depth_scale", "depth_unit_scale_factor"])
  func transformsInOtherUnits(_ field: String) throws {
    let fixture = try PublishedLayout.transforms.write()
    let millimeters = try #require(try frame(fixture).depth?[3, 2])
    try changeTransforms(fixture, [field: 0.0005])
    #expect(abs(try #require(try frame(fixture).depth?[3, 2]) - millimeters / 2) < 1e-6)
  }

  /// nerfstudio applies the unit to arrays, too.
  @Test func transformsWithDepthArrays() throws {
    let fixture = try PublishedLayout.transforms.write()
    try fixture.directory.write(
      NPYArray(shape: [24, 32], floats: [Float](repeating: 2500, count: 24 * 32)).encoded(), to: "d.npy")
    try changeTransforms(fixture, frame: ["depth_file_path": "d.npy"])
    #expect(try frame(fixture).depth?[0, 0] == 2.5)
    try changeTransforms(fixture, ["depth_unit_scale_factor": 1.0])
    #expect(try frame(fixture).depth?[0, 0] == 2500)
  }

  @Test func transformsWithoutDepth() throws {
    let fixture = try PublishedLayout.transforms.write()
    try changeTransforms(fixture, frame: ["depth_file_path": .some(nil)])
    #expect(try frame(fixture).depth == nil)
  }

  @Test func tumWithoutACameraFile() throws {
    let fixture = try PublishedLayout.tumRGBD.write()
    try fixture.remove("camera_primesense.json")
    let camera = try #require(try frame(fixture).intrinsics)
    // A tenth of 525, 525, 319.5, 239.5 for 640 x 480.
    #expect(abs(camera.fx - 52.5) < tolerance)
    #expect(abs(camera.cx - 31.5) < tolerance)
    #expect(abs(camera.cy - 23.5) < tolerance)
  }

  @Test func tumFramesWithoutPartnersAreSkipped() throws {
    let fixture = try PublishedLayout.tumRGBD.write()
    try fixture.directory.write(
      "1305031102.183304 depth/0.png\n1305031102.300000 depth/1.png\n", to: "depth.txt")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.map(\.name) == ["1305031102.175304"])
    #expect(
      source.skipped.map(\.reason)
        == [1, 2].map {
          let picture = "rgb/\(PublishedLayout.tumRGBD.names[$0]).png"
          return "\(CaptureError.nothingNear(file: "depth.txt", frame: picture, seconds: 0.02))"
        })
  }

  /// `ffmpeg -i rgb.mp4 rgb/%06d.png` counts from 1, the recording's frames from 0.
  @Test func strayPicturesThatCountFromOne() throws {
    let fixture = try PublishedLayout.strayScanner.write()
    let pictures = try (0..<3).map { try fixture.directory.read("rgb/00000\($0).png") }
    try fixture.remove("rgb/000000.png")
    for (index, picture) in pictures.enumerated() {
      try fixture.directory.write(picture, to: "rgb/00000\(index + 1).png")
    }
    let source = try CaptureReader.open(fixture.path)
    #expect(try (0..<3).map { try source.encodedPicture(at: $0)?.bytes } == pictures)
    #expect(
      source.notes == [
        "the pictures in rgb count from 1, the frames from 0: rgb/000001 is taken for frame 0, and so on"
      ])
    // With the first picture gone, and none behind the last frame, the others are those of their numbers.
    let other = try PublishedLayout.strayScanner.write()
    try other.remove("rgb/000000.png")
    let found = try CaptureReader.open(other.path)
    #expect(found.notes.isEmpty && found.soundNames == ["000001", "000002"])
  }

  @Test func redwoodPairsByOrder() throws {
    let fixture = try PublishedLayout.redwood.write()
    try fixture.remove("rgbd.match")
    #expect(try CaptureReader.open(fixture.path).frames.count == 3)
    try fixture.remove("depth/00001.png")
    #expect(try CaptureReader.open(fixture.path).skipped.count == 1)
  }

  /// A trajectory that starts at the identity has its world's y axis down.
  @Test func redwoodIsSetUpright() throws {
    let fixture = try PublishedLayout.redwood.write()
    let identity = "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"
    let down = "1 0 0 0\n0 1 0 0.5\n0 0 1 2\n0 0 0 1\n"
    try fixture.directory.write("0 0 1\n\(identity)1 1 2\n\(down)", to: "trajectory.log")
    let source = try CaptureReader.open(fixture.path)
    #expect(
      source.skipped == [
        SkippedFrame(
          name: "00002",
          reason: "\(CaptureError.noPoseOfFrame(file: "trajectory.log", frame: 2))")
      ])
    #expect(try frame(fixture, 0).cameraToWorld == .identity)
    // Half a meter down and two ahead.
    #expect(try frame(fixture, 1).cameraToWorld.origin == Point3(0, -0.5, -2))
  }

  @Test func polycamCorrectedBeforeOriginal() throws {
    let fixture = try PublishedLayout.polycam.write()
    let name = PublishedLayout.polycam.names[1]
    try fixture.makeFolder("keyframes/corrected_cameras")
    try fixture.makeFolder("keyframes/corrected_images")
    var fields = try #require(
      try JSONValue.parse(fixture.directory.read("keyframes/cameras/\(name).json")).object)
    fields["fx"] = 49
    try fixture.directory.write(
      JSONValue.object(fields).serialized(), to: "keyframes/corrected_cameras/\(name).json")
    try fixture.writeImage("keyframes/corrected_images/\(name).jpg", size: RoomScene.pictureSize)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.soundNames == [name])
    #expect(try source.frame(at: 0).intrinsics?.fx == 49)
  }

  /// Present exports: cameras without a size, and corrected ones without corrected pictures.
  @Test func polycamWithoutCorrectedPictures() throws {
    let fixture = try PublishedLayout.polycam.write()
    try fixture.makeFolder("keyframes/corrected_cameras")
    for (index, name) in PublishedLayout.polycam.names.enumerated() {
      var fields = try #require(
        try JSONValue.parse(fixture.directory.read("keyframes/cameras/\(name).json")).object)
      (fields["width"], fields["height"]) = (nil, nil)
      try fixture.directory.write(
        JSONValue.object(fields).serialized(), to: "keyframes/cameras/\(name).json")
      fields["fx"] = 49
      fields["t_03"] = .number(7 + Double(index))
      try fixture.directory.write(
        JSONValue.object(fields).serialized(), to: "keyframes/corrected_cameras/\(name).json")
    }
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.map(\.name) == PublishedLayout.polycam.names && source.skipped.isEmpty)
    let frame = try source.frame(at: 1)
    // The original picture's focal length, at the corrected place.
    #expect(frame.intrinsics?.fx == 50 && frame.cameraToWorld.origin.x == 8)
    #expect(frame.intrinsics?.imageSize == RoomScene.pictureSize)
  }

  /// Names of cameras are rounded differently from those of pictures.
  @Test func arkitScenesCameraAMillisecondOff() throws {
    let fixture = try PublishedLayout.arkitScenes.write()
    let folder = "lowres_wide_intrinsics"
    try fixture.remove("\(folder)/41048190_3308.623.pincam")
    try fixture.directory.write("64 48 48 51 32.5 22.5\n", to: "\(folder)/41048190_3308.622.pincam")
    #expect(try frame(fixture).intrinsics?.fx == 48)
    try fixture.remove("\(folder)/41048190_3308.622.pincam")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.count == 2)
    #expect(
      source.skipped.first?.reason
        == "\(CaptureError.nothingNear(file: folder, frame: "lowres_wide/41048190_3308.623.png", seconds: 0.0015))"
    )
  }

  @Test func pictureWithDepthAndCamera() throws {
    let fixture = try CaptureFixture.native()
    let file = fixture.directory.file
    let source = try CaptureReader.open(
      image: file("image.png"), depth: file("depth.npy"), confidence: file("confidence.npy"),
      camera: StatedCamera(parsing: "56, 56, 31.5, 23.5, 64, 48"))
    #expect(source.layout == .imageWithDepth)
    #expect(source.frames == [FrameReference(name: "image", timestamp: 0)])
    let frame = try source.frame(at: 0)
    #expect(frame.image?[0, 0] == .red)
    #expect(frame.depth?[3, 2] == 1 + Float(2 * 8 + 3) * 0.001)
    #expect(frame.confidence?[0, 0] == 2)
    #expect(frame.intrinsics?.columnMajor == [28, 0, 0, 0, 28, 0, 15.5, 11.5, 1])
    #expect(try CaptureSummary(of: source).warnings.isEmpty)
    let folder = try TemporaryDirectory()
    try NativeCaptureWriter.convert(source, to: folder.file("native"))
    #expect(try CaptureReader.open(folder.file("native")).frame(at: 0).depth == frame.depth)
  }

  @Test func pictureWithDepthThatIsAbsent() throws {
    let fixture = try CaptureFixture.native()
    let missing = fixture.directory.file("none.npy")
    #expect(throws: CaptureError.notFound(path: missing)) {
      try CaptureReader.open(
        image: fixture.directory.file("image.png"), depth: missing,
        camera: StatedCamera(fx: 28, fy: 28, cx: 15.5, cy: 11.5))
    }
  }

  @Test(arguments: ["", "1,2,3", "1,2,3,x", "1,2,3,4,5", "1,2,3,nan", "1,2,3,4,0,5", "1,2,3,4,5.5,5"])
  func cameraThatIsNone(_ text: String) {
    let expected = "fx,fy,cx,cy in pixels, or fx,fy,cx,cy,width,height"
    #expect(throws: CaptureError.badField(file: text, field: "intrinsics", expected: expected)) {
      try StatedCamera(parsing: text)
    }
  }
}
