import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// Captures of the published layouts with one defect, which the message must name.
struct BadLayout: Sendable, CustomTestStringConvertible {
  let name: String
  let published: PublishedLayout
  let spoil: @Sendable (CaptureFixture) throws -> Void
  /// The place, with which the message must begin, and words of the defect, which it must hold.
  ///
  /// Its sentence is the error's, and `RemedyTests` tests the remedy.
  let words: [String]

  var testDescription: String { "\(published.rawValue): \(name)" }

  init(
    _ published: PublishedLayout, _ name: String, _ message: String,
    _ spoil: @escaping @Sendable (CaptureFixture) throws -> Void
  ) {
    self.name = name
    self.published = published
    words = message.split(separator: " | ").map(String.init)
    self.spoil = spoil
  }

  /// A capture with a file replaced by text.
  static func file(
    _ published: PublishedLayout, _ file: String, _ text: String, _ message: String
  ) -> BadLayout {
    BadLayout(published, "\(file) is \(text.prefix(40))", message) { try $0.directory.write(text, to: file) }
  }

  /// transforms.json with one frame and some fields.
  static func transforms(_ changes: [String: JSONValue?], _ message: String) -> BadLayout {
    BadLayout(.transforms, "\(changes.keys.sorted())", message) { fixture in
      let identity: JSONValue = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
      var frame: [String: JSONValue] = ["file_path": "images/image_0.png", "transform_matrix": identity]
      var fields: [String: JSONValue] = ["fl_x": 50, "w": 64, "h": 48]
      for (field, value) in changes {
        if field.hasSuffix("path") || field == "transform_matrix" {
          frame[field] = value
        } else {
          fields[field] = value
        }
      }
      if fields["frames"] == nil { fields["frames"] = .array([.object(frame)]) }
      try fixture.write(fields: fields, to: "transforms.json")
    }
  }
}

@Suite struct BadLayoutTests {
  private static let header = "timestamp, frame, x, y, z, qx, qy, qz, qw\n"
  private static let soundPose = "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"

  static let strayScanner: [BadLayout] = [
    .file(
      .strayScanner, "odometry.csv", "",
      "odometry.csv: line 1 | timestamp"),
    .file(
      .strayScanner, "odometry.csv", "timestamp, frame, x, y, z\n",
      "odometry.csv | \"qx\" | missing"),
    .file(
      .strayScanner, "odometry.csv", header + "1, 000000, 0, 0, 0, 0, 0, 0\n",
      "odometry.csv: line 2 | heading"),
    .file(
      .strayScanner, "odometry.csv", header + "1, 000000, 0, zero, 0, 0, 0, 0, 1\n",
      "odometry.csv: line 2 | heading"),
    .file(
      .strayScanner, "odometry.csv", header + "1, -1, 0, 0, 0, 0, 0, 0, 1\n",
      "odometry.csv: line 2 | frame number"
    ),
    .file(
      .strayScanner, "odometry.csv", header + "1, 0, 0, 0, 0, 0, 0, 0, 1\n2, 0, 0, 0, 0, 0, 0, 0, 1\n",
      "odometry.csv: line 3 | frame number"
    ),
    .file(
      .strayScanner, "odometry.csv", header + "1, 000000, 0, 0, 0, 0, 0, 0, 0\n",
      "odometry.csv, line 2 | quaternion"),
    .file(
      .strayScanner, "odometry.csv", header + "1, 000009, 0, 0, 0, 0, 0, 0, 1\n",
      "odometry.csv, line 2 | \"rgb/000009.jpg\" | exist"),
    .file(
      .strayScanner, "camera_matrix.csv", "1500,0,989.5\n0,1530,689.5\n",
      "camera_matrix.csv: line 2 | rows"),
    .file(
      .strayScanner, "camera_matrix.csv", "1500,0,0\n0,1530,0\n989.5,689.5,1\n",
      "camera_matrix.csv: intrinsics | fx 0 0"),
    BadLayout(
      .strayScanner, "no pictures",
      "odometry.csv | \"rgb\" | exist"
    ) { try $0.remove("rgb") },
    BadLayout(
      .strayScanner, "picture of another shape",
      "odometry.csv, line 2: intrinsics | 1920x1440 | 64x64"
    ) { try $0.writeImage("rgb/000000.png", size: PixelSize(width: 64, height: 64)) },
    BadLayout(
      .strayScanner, "confidence of 255",
      "odometry.csv, line 2: confidence | column 0 | 255"
    ) { try $0.writeConfidence("confidence/000000.png", size: RoomScene.depthSize, value: 255) },
  ]

  static let transforms: [BadLayout] = [
    .transforms(["frames": .array([])], "no frame | listed"),
    .transforms(
      ["frames": 3], "transforms.json | \"frames\" | array"),
    .transforms(
      ["frames": .array([1])], "transforms.json, frame 0 | object"),
    .transforms(
      ["transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0]]],
      "transforms.json, frame 0 | \"transform_matrix\" | 4 rows"),
    .transforms(
      ["transform_matrix": [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]],
      "transforms.json, frame 0: camera-to-world | rotation | 7.0"),
    .transforms(
      ["file_path": "../image.png"],
      "transforms.json, frame 0 | \"../image.png\" | out of"
    ),
    .transforms(
      ["depth_file_path": "/etc/hostname"],
      "transforms.json, frame 0 | \"/etc/hostname\" | out of"
    ),
    .transforms(
      ["file_path": "images/none"],
      "transforms.json, frame 0 | \"images/none\" | exist"),
    .transforms(["fl_x": .some(nil)], "transforms.json, frame 0 | \"fl_x\" | missing"),
    .transforms(
      ["fl_x": -50],
      "transforms.json, frame 0: intrinsics | focal length"),
    .transforms(
      ["camera_model": "OPENCV_FISHEYE"],
      "transforms.json, frame 0: the lens | \"OPENCV_FISHEYE\""
    ),
    .transforms(
      ["k1": 0.03],
      "transforms.json, frame 0: the lens | k1"),
    .transforms(
      ["distortion_params": [0, 0.1, 0, 0, 0, 0]],
      "transforms.json, frame 0: the lens | distortion_params"
    ),
    .transforms(
      ["latlong": true],
      "transforms.json, frame 0: the lens | latlong"),
    .transforms(
      ["ftheta_p0": 0.1],
      "transforms.json, frame 0: the lens | ftheta_p0"),
    .transforms(
      ["applied_scale": 0],
      "transforms.json | \"applied_scale\" | 0.000000001"),
    .transforms(
      ["integer_depth_scale": 0],
      "transforms.json | \"integer_depth_scale\" | 0.000001"),
    .transforms(
      ["depth_unit_scale_factor": 1e-30],
      "transforms.json | \"depth_unit_scale_factor\" | 0.000001"),
  ]

  static let sequences: [BadLayout] = [
    .file(
      .tumRGBD, "rgb.txt", "1305031102.1 rgb/a.png extra\n",
      "rgb.txt: line 1 | file name"),
    .file(
      .tumRGBD, "depth.txt", "# depth\nnow depth/a.png\n",
      "depth.txt: line 2 | file name"),
    .file(
      .tumRGBD, "groundtruth.txt", "1305031102.1 0 0 0 0 0 1\n",
      "groundtruth.txt: line 1 | timestamp"
    ),
    .file(
      .tumRGBD, "groundtruth.txt", "1305031102.175304 0 0 0 0 0 0 0\n",
      "groundtruth.txt, line 1 | quaternion"),
    .file(
      .tumRGBD, "rgb.txt", "1305031102.175304 ../rgb.png\n",
      "../rgb.png: \"../rgb.png\" | out of"),
    BadLayout(
      .tumRGBD, "no poses",
      "rgb.txt | \"groundtruth.txt\" | exist"
    ) { try $0.remove("groundtruth.txt") },
    .file(
      .tumRGBD, "camera_primesense.json", "{\"intrinsic_matrix\": [1, 2], \"width\": 64, \"height\": 48}",
      "camera_primesense.json | \"intrinsic_matrix\" | 9"),
    .file(
      .redwood, "rgbd.match", "depth/00000.png\n",
      "rgbd.match: line 1 | names"
    ),
    .file(
      .redwood, "trajectory.log", "0 0\n" + soundPose,
      "trajectory.log: line 1 | whole numbers"),
    .file(
      .redwood, "trajectory.log", "0 0 1\n" + soundPose + "0 0 1\n" + soundPose,
      "trajectory.log: line 6 | whole numbers"),
    .file(
      .redwood, "trajectory.log", "0 0 1\n1 0 0 0\n",
      "trajectory.log: line 1 | four rows"
    ),
    .file(
      .redwood, "trajectory.log", "0 0 1\n1 0 0 0\n0 1 0 inf\n0 0 1 0\n0 0 0 1\n",
      "trajectory.log, frame 0: camera-to-world | NaN"
    ),
    .file(
      .redwood, "trajectory.log", "0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 2 1\n",
      "trajectory.log, frame 0: camera-to-world | 0 0 0 1"),
    BadLayout(
      .redwood, "no poses",
      "rgbd.match | \"trajectory.log\" | exist"
    ) { try $0.remove("trajectory.log") },
    .file(
      .arkitScenes, "lowres_wide.traj", "3308.6 0 0 0 0 0\n",
      "lowres_wide.traj: line 1 | timestamp"),
    .file(
      .arkitScenes, "lowres_wide.traj", "1 0 0 0 0 0 0\n",
      "lowres_wide.traj | 0.005 s | 41048190_3308.623.png"),
    .file(
      .polycam, "keyframes/cameras/5510200000.json", "{}",
      "keyframes/cameras/5510200000.json | \"t_00\" | missing"),
    BadLayout(
      .polycam, "name without a time",
      "keyframes/cameras/first.json | time"
    ) { fixture in
      for name in PublishedLayout.polycam.names { try fixture.remove("keyframes/cameras/\(name).json") }
      try fixture.directory.write("{}", to: "keyframes/cameras/first.json")
      try fixture.writeImage("keyframes/images/first.jpg")
    },
    BadLayout(
      .arkitScenes, "camera of five numbers",
      "lowres_wide_intrinsics/41048190_3308.623.pincam: line 1 | width height"
    ) { try $0.directory.write("64 48 50 51 32", to: "lowres_wide_intrinsics/41048190_3308.623.pincam") },
  ]

  @Test(arguments: strayScanner + transforms + sequences)
  func defectIsNamed(_ bad: BadLayout) throws {
    let fixture = try bad.published.write()
    try bad.spoil(fixture)
    var messages: [String] = []
    do throws(CaptureError) {
      let source = try CaptureReader.open(fixture.path)
      messages = (source.skipped + source.damaged).map(\.reason)
      _ = try source.frame(at: 0)
    } catch .noUsableFrame(_, let firstReason) {
      messages = [firstReason]
    } catch {
      messages.append(error.description)
    }
    #expect(
      messages.contains { $0.hasPrefix(bad.words[0]) && bad.words.allSatisfy($0.contains) },
      "found \(messages)")
  }

  /// Whatever is cut off or changed in an index, the answer is a frame or an error of ours.
  @Test(arguments: [
    (PublishedLayout.strayScanner, "odometry.csv"), (.strayScanner, "camera_matrix.csv"),
    (.transforms, "transforms.json"), (.tumRGBD, "groundtruth.txt"), (.redwood, "trajectory.log"),
    (.polycam, "keyframes/cameras/5510200000.json"), (.arkitScenes, "lowres_wide.traj"),
  ])
  func damagedIndexNeverTraps(_ published: PublishedLayout, _ file: String) throws {
    let fixture = try published.write()
    let sound = try fixture.directory.read(file)
    func read() {
      do throws(CaptureError) {
        _ = try CaptureReader.open(fixture.path).frame(at: 0, decodingImage: false)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
    for length in stride(from: 0, to: sound.count, by: 11) {
      try fixture.directory.write(Array(sound[..<length]), to: file)
      read()
    }
    for position in stride(from: 0, to: sound.count, by: 7) {
      for replacement: UInt8 in [0x2D, 0x39, 0x65, 0xFF] {
        var bytes = sound
        bytes[position] = replacement
        try fixture.directory.write(bytes, to: file)
        read()
      }
    }
  }

  @Test func linkThatLeadsOutIsRefused() throws {
    let fixture = try PublishedLayout.transforms.write()
    try fixture.remove("images/image_0.png")
    try fixture.link("images/image_0.png", to: "/etc/hostname")
    #expect(
      throws: CaptureError.nameEscapesCapture(
        file: "transforms.json, frame 0", name: "./images/image_0.png")
    ) { try CaptureReader.open(fixture.path).frame(at: 0) }
  }

  @Test func sequenceBeyondTheLimitIsRefused() throws {
    let fixture = try PublishedLayout.tumRGBD.write()
    var limits = CaptureLimits()
    limits.frames = 2
    #expect(throws: CaptureError.tooManyFrames(path: fixture.path, limit: 2)) {
      try CaptureReader.open(fixture.path, limits: limits)
    }
    limits.frames = 10
    limits.indexBytes = 40
    #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.path, limits: limits) }
    limits = CaptureLimits()
    limits.indexFields = 11
    let error = #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.path, limits: limits) }
    #expect(error?.description.hasPrefix("rgb.txt: holds more lines") == true)
  }

  @Test func aLineOfCountlessFieldsIsRefusedBeforeItIsCut() throws {
    let fixture = try PublishedLayout.tumRGBD.write()
    for text in [String(repeating: "1 ", count: 1000), String(repeating: " ", count: 1000) + "1"] {
      try fixture.directory.write("# a comment\n\(text)\n", to: "rgb.txt")
      let error = #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.path) }
      #expect(error?.description.hasPrefix("rgb.txt: line 2 holds more fields") == true)
    }
  }
}
