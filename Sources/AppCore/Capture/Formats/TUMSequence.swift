import FileFormats
import Geometry

/// A sequence of the TUM RGB-D benchmark: `rgb.txt`, `depth.txt`, `groundtruth.txt`.
///
/// Depth is u16 in fifths of a millimeter; poses are camera-to-world, the camera's axes OpenCV's, the world's
/// +z against gravity. The layout states no camera: one in Open3D's form beside it, or the sensor's default.
enum TUMSequence: CaptureFormat {
  static let pictures = "rgb.txt"
  static let depths = "depth.txt"
  static let poses = "groundtruth.txt"

  private static let unit = DepthUnit(png: 1 / 5000, npy: 1)
  /// The benchmark's own bound on the times of what belongs together, seconds.
  private static let timeTolerance = 0.02

  static let marks = "\(pictures) with \(depths) (TUM RGB-D)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.isSuperset(of: [pictures, depths])
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let rows = try folder.rows(pictures, separatedBy: .blanks, namedBy: pictures)
    var depthEntries: [(time: Double, value: String)] = []
    for row in try folder.rows(depths, separatedBy: .blanks, namedBy: pictures) {
      depthEntries.append(try timedName(row))
    }
    let depthIndex = TimeIndex(depthEntries)
    let poseIndex = TimeIndex(try trajectory(folder))
    let camera = try PinholeCameraFile.find(in: folder) ?? PinholeCameraFile.structureSensor
    for row in rows where row.fields.count != 2 { throw row.bad(timeAndName) }
    let names = frameNames(of: rows.map { $0.fields[1] })
    return try IndexedCapture(.tumRGBD, folder, names: names) { position throws(CaptureError) in
      let (time, picture) = try timedName(rows[position])
      guard let depth = depthIndex.nearest(to: time, within: timeTolerance) else {
        throw .nothingNear(file: depths, frame: picture, seconds: timeTolerance)
      }
      guard let pose = poseIndex.nearest(to: time, within: timeTolerance) else {
        throw .nothingNear(file: poses, frame: picture, seconds: timeTolerance)
      }
      return IndexedShot(
        name: names[position], file: picture, timestamp: time, picture: picture, depth: depth,
        depthUnit: unit, camera: camera, cameraToWorld: try pose.get())
    }
  }

  private static func timedName(_ row: TextRow) throws(CaptureError) -> (time: Double, value: String) {
    guard row.fields.count == 2 else { throw row.bad(timeAndName) }
    return (try row.numbers(at: [0], expected: timeAndName)[0], row.fields[1])
  }

  private static let timeAndName = "a time and a file name"

  private static func trajectory(
    _ folder: CaptureFolder
  ) throws(CaptureError) -> [(time: Double, value: StatedPose)] {
    var entries: [(time: Double, value: StatedPose)] = []
    let expected = "timestamp tx ty tz qx qy qz qw"
    for row in try folder.rows(poses, separatedBy: .blanks, namedBy: pictures) {
      let v = try row.poseNumbers(count: 8, expected: expected)
      guard v[0].isFinite else { throw row.bad(expected) }
      entries.append((v[0], pose(v, row)))
    }
    return entries
  }

  private static func pose(_ v: [Double], _ row: TextRow) -> StatedPose {
    guard v.allSatisfy(\.isFinite) else { return .failure(row.lostPose) }
    guard let rotation = Quaternion(x: v[4], y: v[5], z: v[6], w: v[7]) else {
      return .failure(.badPose(file: "\(poses), line \(row.line)", reason: "has a quaternion of zeros"))
    }
    let pose = RigidTransform<CameraOpenCV, WorldZUp>(rotation: rotation, origin: Point3(v[1], v[2], v[3]))
    return .success(pose.ofARKitCamera.inYUpWorld)
  }
}
