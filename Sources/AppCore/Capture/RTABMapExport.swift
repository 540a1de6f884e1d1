import FileFormats
import Geometry

/// What `rtabmap-export --images --poses_camera --poses_format 11` writes: `NAME_rgb`, `NAME_depth` and `NAME_calib` with a
/// file for each picture, called by its time or with `--images_id` by its number, and `NAME_camera_poses.txt`.
///
/// Depth is u16 millimeters on the picture's field; poses are camera-to-world, the camera's axes OpenCV's, the world's +z
/// against gravity. Of all forms of poses only this one is known by its columns.
enum RTABMapExport: CaptureFormat {
  private static let poses = "_camera_poses.txt"
  private static let (pictures, depths, cameras) = ("_rgb", "_depth", "_calib")
  private static let columns = "timestamp x y z qx qy qz qw id, of --poses_format 11"

  static let marks = "NAME\(poses) (RTAB-Map)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    base(of: names.sorted) != nil
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    guard let base = base(of: try folder.names()) else { throw .unrecognisedLayout(path: folder.path) }
    let file = base + poses
    var lines: NameSet = []
    // A line that is there twice is one.
    let rows = try folder.rows(file, separatedBy: .blanks, namedBy: file).filter {
      lines.insert($0.fields.joined(separator: " "))
    }
    let pictures = try folder.stems(in: base + pictures)
    let depths = try folder.stems(in: base + depths, endings: [".png"])
    let cameras = try folder.stems(in: base + cameras, endings: [".yaml"])
    let names = try rows.map { row throws(CaptureError) in
      guard row.fields.count == 9 else { throw row.bad(columns) }
      let (time, id) = (row.fields[0], row.fields[8])
      return pictures[time] == nil && pictures[id] != nil ? id : time
    }
    guard NameSet(names).count == names.count else {
      throw .malformed(file: file, reason: "names a picture twice")
    }
    return try IndexedCapture(.rtabMap, folder, names: names) { position throws(CaptureError) in
      let (row, name) = (rows[position], names[position])
      let v = try row.numbers(at: 0..<8, expected: columns)
      let label = "\(file), line \(row.line)"
      guard let rotation = Quaternion(x: v[4], y: v[5], z: v[6], w: v[7]) else {
        throw .badPose(file: label, reason: "has a quaternion of zeros")
      }
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
      let pose = RigidTransform<CameraOpenCV, WorldZUp>(rotation: rotation, origin: Point3(v[1], v[2], v[3]))
      return IndexedShot(
        name: name, file: label, timestamp: v[0], picture: picture, depth: depths[name],
        camera: try CameraFile(path: path, limits: folder.limits).camera(),
        cameraToWorld: pose.ofARKitCamera.inYUpWorld)
    }
  }

  /// What the files' names begin with; nil where there are not poses and pictures of the same.
  private static func base(of names: [String]) -> String? {
    let present = NameSet(names)
    return names.lazy.filter { $0.hasSuffix(poses) }.map { String($0.dropLast(poses.count)) }
      .first { present.contains($0 + pictures) }
  }
}
