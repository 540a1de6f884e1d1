import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The output of `rtabmap-export --images --poses_camera`.
///
/// `NAME_rgb`, `NAME_depth` and `NAME_calib` hold a file for each picture, named by its time or, with `--images_id`, by
/// its number. The poses are lines in `NAME_camera_poses.txt` (`--poses_format 11`) or a graph in `.g2o` (4) or `.toro`
/// (3), whose nodes have numbers alone.
///
/// Depth is u16 millimeters on the picture's field; poses are camera-to-world, the camera's axes OpenCV's, the world's +z
/// against gravity. Formats 0 and 2, and 1 and 10, have the same columns and other axes, and are refused.
enum RTABMapExport: CaptureFormat {
  private static let poses = "_camera_poses"
  private static let (pictures, depths, cameras) = ("_rgb", "_depth", "_calib")

  static let marks = "NAME\(poses).txt (RTAB-Map)"

  /// How a file of poses writes them, by its ending.
  private enum Form: String, CaseIterable {
    case lines = "txt"
    case quaternions = "g2o"
    case angles = "toro"
    /// Angles as older versions name them.
    case olderAngles = "graph"

    /// First word of a line with a pose; nil where every line is a pose.
    var mark: String? {
      switch self {
      case .lines: nil
      case .quaternions: "VERTEX_SE3:QUAT"
      case .angles, .olderAngles: "VERTEX3"
      }
    }

    var columns: String {
      switch self {
      case .lines: "timestamp x y z qx qy qz qw id, of --poses_format 11"
      case .quaternions: "VERTEX_SE3:QUAT id x y z qx qy qz qw"
      case .angles, .olderAngles: "VERTEX3 id x y z roll pitch yaw"
      }
    }

    /// A node's number.
    func id(_ row: TextRow) -> String { row.fields[mark == nil ? row.fields.count - 1 : 1] }

    /// A line's time, or in graphs its number, and its pose.
    func pose(
      _ row: TextRow
    ) throws(CaptureError) -> (time: Double, pose: RigidTransform<CameraOpenCV, WorldZUp>) {
      let v = try row.numbers(at: mark == nil ? 0..<8 : 1..<row.fields.count, expected: columns)
      let origin = Point3<WorldZUp>(v[1], v[2], v[3])
      let rotation =
        v.count == 7 ? Self.quaternion(v[4], v[5], v[6]) : Quaternion(x: v[4], y: v[5], z: v[6], w: v[7])
      guard let rotation else {
        throw .badPose(file: "\(row.file), line \(row.line)", reason: "has a quaternion of zeros")
      }
      return (v[0], RigidTransform(rotation: rotation, origin: origin))
    }

    /// The turns by `roll` about x, then `pitch` about y, then `yaw` about z.
    private static func quaternion(_ roll: Double, _ pitch: Double, _ yaw: Double) -> Quaternion? {
      let (x, y, z) = (roll / 2, pitch / 2, yaw / 2)
      return Quaternion(
        x: sin(x) * cos(y) * cos(z) - cos(x) * sin(y) * sin(z),
        y: cos(x) * sin(y) * cos(z) + sin(x) * cos(y) * sin(z),
        z: cos(x) * cos(y) * sin(z) - sin(x) * sin(y) * cos(z),
        w: cos(x) * cos(y) * cos(z) + sin(x) * sin(y) * sin(z))
    }
  }

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    base(of: names.sorted) != nil
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    guard let (base, form) = base(of: try folder.names()) else {
      throw .unrecognizedLayout(path: folder.path)
    }
    let file = "\(base)\(poses).\(form.rawValue)"
    var lines: NameSet = []
    // A line that is there twice is one.
    let rows = try folder.rows(file, separatedBy: .blanks, namedBy: file).filter {
      (form.mark == nil || $0.fields.first == form.mark && $0.fields.dropFirst().first?.first != "-")
        && lines.insert($0.fields.joined(separator: " "))
    }
    let pictures = try folder.stems(in: base + pictures)
    let depths = try folder.stems(in: base + depths, endings: [".png"])
    let cameras = try folder.stems(in: base + cameras, endings: [".yaml"])
    let names = try rows.map { row throws(CaptureError) in
      guard row.fields.count == (form == .lines || form == .quaternions ? 9 : 8) else {
        throw row.bad(form.columns)
      }
      let (id, time) = (form.id(row), row.fields[0])
      return form != .lines || pictures[time] == nil && pictures[id] != nil ? id : time
    }
    guard NameSet(names).count == names.count else {
      throw .malformed(file: file, reason: "names a picture twice")
    }
    return try IndexedCapture(.rtabMap, folder, names: names) { position throws(CaptureError) in
      let (row, name) = (rows[position], names[position])
      let label = "\(file), line \(row.line)"
      let (time, pose) = try form.pose(row)
      guard let picture = pictures[name] else {
        throw .missingFile(file: label, name: "\(base)\(Self.pictures)/\(name).jpg")
      }
      guard let camera = cameras[name] else {
        throw .missingFile(file: label, name: "\(base)\(Self.cameras)/\(name).yaml")
      }
      // An export with depth has it of every picture.
      guard depths.isEmpty || depths[name] != nil else {
        throw .missingFile(file: label, name: "\(base)\(Self.depths)/\(name).png")
      }
      let path = try folder.location(of: camera, namedBy: label, limit: folder.limits.metadataBytes)
      return IndexedShot(
        name: name, file: label, timestamp: time, picture: picture, depth: depths[name],
        camera: try CameraFile(path: path, limits: folder.limits).camera(),
        cameraToWorld: pose.ofARKitCamera.inYUpWorld)
    }
  }

  /// The common beginning of the files' names, and the form of the poses; nil without poses and pictures of the same
  /// name.
  private static func base(of names: [String]) -> (String, Form)? {
    let present = NameSet(names)
    for form in Form.allCases {
      let ending = "\(poses).\(form.rawValue)"
      for name in names where name.hasSuffix(ending) {
        let base = String(name.dropLast(ending.count))
        if present.contains(base + pictures) { return (base, form) }
      }
    }
    return nil
  }
}
