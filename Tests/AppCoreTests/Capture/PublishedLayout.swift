import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// The layouts written as their publishers describe them, from a room seen by an ARKit camera.
///
/// The conversions are spelled out here in plain numbers, apart from the readers' own.
enum PublishedLayout: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case strayScanner, transforms, tumRGBD, redwood, polycam, arkitScenes, ca1m, rosBag, rtabMap

  var testDescription: String { rawValue }
  var layout: CaptureLayout? { CaptureLayout(rawValue: rawValue) }

  /// The names the frames must get.
  var names: [String] {
    switch self {
    case .strayScanner, .rosBag: ["000000", "000001", "000002"]
    case .transforms: ["image_0", "image_1", "image_2"]
    case .tumRGBD: ["1305031102.175304", "1305031102.211214", "1305031102.243211"]
    case .redwood: ["00000", "00001", "00002"]
    case .rtabMap: ["1700000000.250000", "1700000000.500000", "1700000000.750000"]
    case .polycam: ["5510200000", "5510300000", "5510400000"]
    case .arkitScenes: ["41048190_3308.623", "41048190_3308.723", "41048190_3308.823"]
    case .ca1m: ["3308623000000", "3308723000000", "3308823000000"]
    }
  }

  var timestamps: [Double] {
    switch self {
    case .strayScanner: [74_000.5, 74_000.6, 74_000.7]
    case .transforms, .redwood: [0, 1, 2]
    case .tumRGBD: [1_305_031_102.175304, 1_305_031_102.211214, 1_305_031_102.243211]
    case .polycam: [5510.2, 5510.3, 5510.4]
    case .arkitScenes, .ca1m: [3308.623, 3308.723, 3308.823]
    case .rtabMap: [1_700_000_000.25, 1_700_000_000.5, 1_700_000_000.75]
    case .rosBag: [1_700_000_000, 1_700_000_000.1, 1_700_000_000.2]
    }
  }

  var unitsPerMeter: Double { self == .tumRGBD ? 5000 : 1000 }
  var depthSize: PixelSize {
    [.tumRGBD, .redwood].contains(self) ? RoomScene.pictureSize : RoomScene.depthSize
  }
  var hasConfidence: Bool { [.strayScanner, .polycam, .arkitScenes].contains(self) }
  /// Redwood says nothing of gravity, CA-1M stores upright pictures.
  var orientations: [Orientation] {
    [.redwood, .ca1m].contains(self) ? [.up, .up, .up] : RoomScene.orientations
  }

  func write() throws -> CaptureFixture {
    let fixture = try CaptureFixture.empty()
    switch self {
    case .strayScanner: try writeStrayScanner(fixture)
    case .transforms: try writeTransforms(fixture)
    case .tumRGBD: try writeTUM(fixture)
    case .redwood: try writeRedwood(fixture)
    case .polycam: try writePolycam(fixture)
    case .arkitScenes: try writeARKitScenes(fixture)
    case .ca1m: try writeCA1M(fixture)
    case .rosBag: try writeBag(fixture)
    case .rtabMap: try writeRTABMap(fixture)
    }
    return fixture
  }

  private func writeStrayScanner(_ fixture: CaptureFixture) throws {
    for folder in ["rgb", "depth", "confidence"] { try fixture.makeFolder(folder) }
    var lines = ["timestamp, frame, x, y, z, qx, qy, qz, qw"]
    for (index, pose) in try RoomScene.poses().enumerated() {
      try writePixels(fixture, index, "rgb/\(names[index]).png", "depth/\(names[index]).png")
      try writeConfidence(fixture, "confidence/\(names[index]).png")
      let m = Matrix(pose).withOpenCVCamera
      let numbers = m.translation + (try m.quaternion)
      lines.append(
        "\(timestamps[index]), \(names[index]), " + numbers.map { "\($0)" }.joined(separator: ", "))
    }
    try fixture.directory.write(lines.joined(separator: "\n") + "\n", to: "odometry.csv")
    // For 1920 x 1440: 30 times the picture's.
    try fixture.directory.write("1500.0,0.0,989.5\n0.0,1530.0,689.5\n0.0,0.0,1.0\n", to: "camera_matrix.csv")
  }

  private func writeTransforms(_ fixture: CaptureFixture) throws {
    for folder in ["images", "depths"] { try fixture.makeFolder(folder) }
    var frames: [JSONValue] = []
    for (index, pose) in try RoomScene.poses().enumerated() {
      try writePixels(fixture, index, "images/\(names[index]).png", "depths/\(names[index]).png")
      let rows = Matrix(pose).withZUpWorld.rows
      frames.append([
        "file_path": .string("./images/\(names[index]).png"),
        "depth_file_path": .string("depths/\(names[index]).png"),
        "transform_matrix": .array(rows.map { .array($0.map(JSONValue.number)) }),
      ])
    }
    try fixture.write(
      fields: [
        "camera_model": "OPENCV", "fl_x": 50, "fl_y": 51, "cx": 33, "cy": 23, "w": 64, "h": 48, "k1": 0,
        "frames": .array(frames),
      ], to: "transforms.json")
  }

  private func writeTUM(_ fixture: CaptureFixture) throws {
    for folder in ["rgb", "depth"] { try fixture.makeFolder(folder) }
    var (pictures, depths, poses) = (
      "# color images\n", "# depth maps\n", "# timestamp tx ty tz qx qy qz qw\n"
    )
    for (index, pose) in try RoomScene.poses().enumerated() {
      // The sensors are not quite in step.
      let depthTime = timestamps[index] + 0.008
      try writePixels(fixture, index, "rgb/\(names[index]).png", "depth/\(index).png")
      pictures += "\(timestamps[index]) rgb/\(names[index]).png\n"
      depths += "\(depthTime) depth/\(index).png\n"
      let m = Matrix(pose).withOpenCVCamera.withZUpWorld
      let numbers = m.translation + (try m.quaternion)
      poses += "\(timestamps[index] - 0.003) " + numbers.map { "\($0)" }.joined(separator: " ") + "\n"
    }
    try fixture.directory.write(pictures, to: "rgb.txt")
    try fixture.directory.write(depths, to: "depth.txt")
    try fixture.directory.write(poses, to: "groundtruth.txt")
    try writeOpen3DCamera(fixture)
  }

  private func writeRedwood(_ fixture: CaptureFixture) throws {
    for folder in ["color", "depth"] { try fixture.makeFolder(folder) }
    var (match, log) = ("", "")
    for (index, pose) in try RoomScene.poses().enumerated() {
      try writePixels(fixture, index, "color/\(names[index]).png", "depth/\(names[index]).png")
      match += "depth/\(names[index]).png color/\(names[index]).png\n"
      log += Self.logEntry(Matrix(pose).withOpenCVCamera, index)
    }
    try fixture.directory.write(match, to: "rgbd.match")
    try fixture.directory.write(log, to: "trajectory.log")
    try writeOpen3DCamera(fixture)
  }

  static func logEntry(_ matrix: Matrix, _ index: Int) -> String {
    "\(index) \(index) \(index + 1)\n"
      + matrix.rows.map { $0.map { "\($0)" }.joined(separator: " ") + "\n" }.joined()
  }

  private func writePolycam(_ fixture: CaptureFixture) throws {
    for folder in ["cameras", "images", "depth", "confidence"] {
      try fixture.makeFolder("keyframes/\(folder)")
    }
    for (index, pose) in try RoomScene.poses().enumerated() {
      let name = names[index]
      try writePixels(fixture, index, "keyframes/images/\(name).jpg", "keyframes/depth/\(name).png")
      try writeConfidence(fixture, "keyframes/confidence/\(name).png", scale: [0, 127, 255])
      var fields: [String: JSONValue] = [
        "fx": 50, "fy": 51, "cx": 32.5, "cy": 22.5, "width": 64, "height": 48, "blur_score": 120.5,
      ]
      for (row, elements) in Matrix(pose).rows.prefix(3).enumerated() {
        for (column, element) in elements.enumerated() { fields["t_\(row)\(column)"] = .number(element) }
      }
      try fixture.write(fields: fields, to: "keyframes/cameras/\(name).json")
    }
  }

  private func writeARKitScenes(_ fixture: CaptureFixture) throws {
    for folder in ["lowres_wide", "lowres_depth", "confidence", "lowres_wide_intrinsics"] {
      try fixture.makeFolder(folder)
    }
    var trajectory = ""
    for (index, pose) in try RoomScene.poses().enumerated() {
      let name = names[index]
      try writePixels(fixture, index, "lowres_wide/\(name).png", "lowres_depth/\(name).png")
      try writeConfidence(fixture, "confidence/\(name).png")
      try fixture.directory.write(
        "64 48 50.0 51.0 32.5 22.5\n", to: "lowres_wide_intrinsics/\(name).pincam")
      let inverse = Matrix(pose).withOpenCVCamera.withZUpWorld.inverse
      let q = try inverse.quaternion
      let sine = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).squareRoot()
      let angle = 2 * Self.arc(sine: sine, cosine: q[3])
      let numbers = q.prefix(3).map { $0 / sine * angle } + inverse.translation
      trajectory += "\(timestamps[index] + 0.002) " + numbers.map { "\($0)" }.joined(separator: " ") + "\n"
    }
    try fixture.directory.write(trajectory, to: "lowres_wide.traj")
  }

  private func writeCA1M(_ fixture: CaptureFixture) throws {
    func matrix(_ rows: [[Double]], _ name: String) throws {
      let value = JSONValue.array(rows.map { .array($0.map(JSONValue.number)) })
      try fixture.directory.write(Array(value.serialized().utf8), to: name)
    }
    for (index, pose) in try RoomScene.poses().enumerated() {
      let (wide, truth) = ("\(names[index]).wide", "\(names[index]).gt")
      for folder in ["\(wide)/image", truth] { try fixture.makeFolder(folder) }
      try writePixels(fixture, index, "\(wide)/image.png", "\(wide)/depth.png")
      try matrix([[50, 0, 32.5], [0, 51, 22.5], [0, 0, 1]], "\(wide)/image/K.json")
      try matrix(Matrix(pose).withOpenCVCamera.withZUpWorld.rows, "\(truth)/RT.json")
    }
  }

  private func writeOpen3DCamera(_ fixture: CaptureFixture) throws {
    try fixture.write(
      fields: [
        "width": 64, "height": 48, "intrinsic_matrix": [50, 0, 0, 0, 51, 0, 32.5, 22.5, 1],
      ], to: "camera_primesense.json")
  }

  func writePixels(_ fixture: CaptureFixture, _ index: Int, _ picture: String, _ depth: String) throws {
    try fixture.writeImage(picture, size: RoomScene.pictureSize)
    let plane = try RoomScene.depth(
      from: RoomScene.poses()[index], size: depthSize, unitsPerMeter: unitsPerMeter)
    try fixture.directory.write(ImageCodec.encodePNG(plane), to: depth)
  }

  private func writeConfidence(_ fixture: CaptureFixture, _ name: String, scale: [UInt8] = [0, 1, 2]) throws {
    try fixture.directory.write(
      ImageCodec.encodePNG(RoomScene.confidence(size: depthSize, scale: scale)), to: name)
  }

  /// The angle of a sine and cosine by halving: no library's arc function needed.
  private static func arc(sine: Double, cosine: Double) -> Double {
    var (low, high) = (0.0, Double.pi)
    for _ in 0..<80 {
      let middle = (low + high) / 2
      guard let turn = Quaternion(axis: Vector3<World>(0, 1, 0), angle: 2 * middle) else { break }
      if turn.w > cosine { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

/// A 4x4 matrix by rows.
struct Matrix {
  var rows: [[Double]]

  init(_ pose: RigidTransform<CameraARKit, World>) {
    let m = pose.columnMajor
    rows = (0..<4).map { row in (0..<4).map { m[$0 * 4 + row] } }
  }

  /// The camera's y and z axes the other way round.
  var withOpenCVCamera: Matrix { changing { [$0[0], -$0[1], -$0[2], $0[3]] } }

  /// Rows x, -z, y: what was up along y is up along z.
  var withZUpWorld: Matrix {
    var copy = self
    copy.rows = [rows[0], rows[2].map { -$0 }, rows[1], rows[3]]
    return copy
  }

  /// The inverse of a rotation and a translation.
  var inverse: Matrix {
    var copy = self
    for i in 0..<3 {
      for j in 0..<3 { copy.rows[i][j] = rows[j][i] }
      copy.rows[i][3] = -(0..<3).reduce(0) { $0 + rows[$1][i] * rows[$1][3] }
    }
    return copy
  }

  var translation: [Double] { rows.prefix(3).map { $0[3] } }

  /// x, y, z, w of the rotation.
  var quaternion: [Double] {
    get throws {
      try RigidTransform<CameraARKit, World>(rowMajor: rows.flatMap { $0 }).rotation.xyzw
    }
  }

  private func changing(_ change: ([Double]) -> [Double]) -> Matrix {
    var copy = self
    copy.rows = rows.map(change)
    return copy
  }
}
