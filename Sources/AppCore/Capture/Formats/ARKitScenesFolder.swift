import FileFormats
import Geometry

/// A video of ARKitScenes: `lowres_wide`, `lowres_depth`, `confidence`, `lowres_wide_intrinsics` with a
/// `.pincam` a frame, and `lowres_wide.traj`.
///
/// A trajectory's line is a time, an axis times an angle, and a translation, world-to-camera, the camera's
/// axes OpenCV's, the world's +z against gravity. Depth is u16 millimeters, confidence 0, 1, 2.
enum ARKitScenesFolder: CaptureFormat {
  static let pictures = "lowres_wide"
  static let trajectory = "lowres_wide.traj"

  private static let intrinsics = "lowres_wide_intrinsics"
  /// Frames and poses carry their times with three decimals and are up to this far apart, seconds.
  private static let poseTolerance = 0.005
  private static let cameraTolerance = 0.0015

  static let marks = "\(pictures) (ARKitScenes)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    folder.hasSubfolder(pictures)
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    var poseEntries: [(time: Double, value: StatedPose)] = []
    let expected = "timestamp rx ry rz tx ty tz"
    for row in try folder.rows(trajectory, separatedBy: .blanks, namedBy: pictures) {
      let v = try row.poseNumbers(count: 7, expected: expected)
      guard v[0].isFinite else { throw row.bad(expected) }
      guard v.allSatisfy(\.isFinite) else {
        poseEntries.append((v[0], .failure(row.lostPose)))
        continue
      }
      let worldToCamera = RigidTransform<WorldZUp, CameraOpenCV>(
        rotation: Quaternion(axisAngle: Vector3<CameraOpenCV>(v[1], v[2], v[3])),
        origin: Point3(v[4], v[5], v[6]))
      poseEntries.append((v[0], .success(worldToCamera.inverse.ofARKitCamera.inYUpWorld)))
    }
    let poses = TimeIndex(poseEntries)
    let cameras = TimeIndex(
      try folder.stems(in: intrinsics, endings: [".pincam"]).compactMap { stem, name in
        time(stem).map { (time: $0, value: name) }
      })
    let stored = try folder.stems(in: pictures)
    let depths = try folder.stems(in: "lowres_depth", endings: [".png"])
    let confidences = try folder.stems(in: "confidence", endings: [".png"])
    let names = stored.keys
    return try IndexedCapture(.arkitScenes, folder, names: names, filesOf: [pictures]) {
      position throws(CaptureError) in
      let name = names[position]
      let picture = stored[name] ?? name
      guard let time = time(name) else { throw .untimedName(file: picture) }
      guard let depth = depths[name] else {
        throw .notRecorded(file: picture, name: "lowres_depth/\(name).png")
      }
      guard let pose = poses.nearest(to: time, within: poseTolerance) else {
        throw .nothingNear(file: trajectory, frame: picture, seconds: poseTolerance)
      }
      guard let camera = cameras.nearest(to: time, within: cameraTolerance) else {
        throw .nothingNear(file: intrinsics, frame: picture, seconds: cameraTolerance)
      }
      return IndexedShot(
        name: name, file: picture, timestamp: time, picture: picture, depth: depth,
        confidence: confidences[name], camera: try self.camera(camera, folder), cameraToWorld: try pose.get())
    }
  }

  /// The time of `VIDEO_TIME`; nil without one.
  static func time(_ stem: String) -> Double? {
    stem.split(separator: "_").last.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  private static func camera(_ name: String, _ folder: CaptureFolder) throws(CaptureError) -> StatedCamera {
    let expected = "width height fx fy cx cy"
    let rows = try folder.rows(
      name, separatedBy: .blanks, namedBy: name, limit: folder.limits.metadataBytes)
    guard let row = rows.first, rows.count == 1 else {
      throw .badLine(file: name, line: rows.last?.line ?? 1, expected: expected)
    }
    let v = try row.numbers(count: 6, expected: expected)
    let size = try FrameFields.size(v[0], v[1], file: name, field: "width, height")
    return StatedCamera(fx: v[2], fy: v[3], cx: v[4], cy: v[5], size: size)
  }
}
