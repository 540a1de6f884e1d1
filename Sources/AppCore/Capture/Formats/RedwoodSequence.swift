import FileFormats
import Geometry

/// An RGB-D folder as Redwood and Open3D keep it: pictures in `color`, `rgb` or `image`, depth in `depth`,
/// paired by `rgbd.match` or by their names (`NamePairs`), poses in `trajectory.log` or `odometry.log`.
///
/// Depth is u16 millimeters; poses are camera-to-world by rows, the camera's axes OpenCV's. The layout says
/// nothing of gravity: the pictures are taken to be upright as stored, and a world in which the first camera
/// stands on its head is turned over.
enum RedwoodSequence: CaptureFormat {
  static let match = "rgbd.match"
  static let trajectories = ["trajectory.log", "odometry.log"]
  static let pictureFolders = ["color", "rgb", "image"]
  static let depthFolder = "depth"

  static let marks = "\(trajectories[0]) with color and \(depthFolder) (Redwood)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    folder.hasSubfolder(depthFolder) && pictureFolders.contains(where: folder.hasSubfolder)
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let pairs = try pairs(folder)
    guard let log = trajectories.first(where: folder.hasFile) else {
      throw .missingFile(file: match, name: trajectories[0])
    }
    let poses = try poses(log, folder)
    let camera = try PinholeCameraFile.find(in: folder) ?? PinholeCameraFile.structureSensor
    // The first that is sound.
    let first = poses.sorted { $0.key < $1.key }.lazy.compactMap { number, matrix in
      try? pose(matrix, in: WorldYDown.self, log: log, number: number)
    }.first
    let isTurnedOver = (first?.yAxis.y ?? 1) < 0
    let names = frameNames(of: pairs.map(\.picture))
    let isListed = folder.hasFile(match)
    guard
      let numbers = isListed
        ? Array(pairs.indices) : PoseNumbers(pairs.map(\.picture), poses: Set(poses.keys))?.numbers
    else {
      throw .malformed(
        file: log,
        reason:
          "has \(counted(poses.count, "pose")) for \(counted(pairs.count, "picture")), whose names do not tell "
          + "which is whose; add \(match), a line \"DEPTH PICTURE\" a pose")
    }
    let listed = isListed ? [] : pictureFolders.filter(folder.hasSubfolder).prefix(1)
    return try IndexedCapture(.redwood, folder, names: names, filesOf: Array(listed)) {
      position throws(CaptureError) in
      let number = numbers[position]
      guard let matrix = poses[number] else { throw .noPoseOfFrame(file: log, frame: number) }
      guard let depth = pairs[position].depth else {
        throw .noDepthOfPicture(file: pairs[position].picture, folder: depthFolder)
      }
      let cameraToWorld =
        isTurnedOver
        ? try pose(matrix, in: WorldYDown.self, log: log, number: number).inYUpWorld
        : try pose(matrix, in: World.self, log: log, number: number)
      return IndexedShot(
        name: names[position], file: pairs[position].picture, timestamp: Double(position),
        picture: pairs[position].picture, depth: depth, camera: camera,
        cameraToWorld: cameraToWorld, orientation: .up)
    }
  }

  /// The error of a folder of pictures and depths without a trajectory.
  private static func foreign(_ folder: CaptureFolder) throws(CaptureError) -> CaptureError {
    let hasEXR = try !folder.files(in: depthFolder, endings: [".exr"]).isEmpty
    guard !hasEXR else { return .foreignLayout(path: folder.path, layout: .record3D) }
    let pictures = pictureFolders.first(where: folder.hasSubfolder) ?? pictureFolders[0]
    return .noTrajectory(path: folder.path, pictures: pictures, depths: depthFolder)
  }

  /// In the order of the frames; a picture without depth keeps its place.
  private static func pairs(
    _ folder: CaptureFolder
  ) throws(CaptureError) -> [(depth: String?, picture: String)] {
    var pairs: [(depth: String?, picture: String)] = []
    if folder.hasFile(match) {
      for row in try folder.rows(match, separatedBy: .blanks, namedBy: match) {
        guard row.fields.count == 2 else { throw row.bad("the names of a depth file and a picture") }
        pairs.append((row.fields[0], row.fields[1]))
      }
      return pairs
    }
    guard let pictureFolder = pictureFolders.first(where: folder.hasSubfolder) else {
      throw .missingFile(file: depthFolder, name: pictureFolders[0])
    }
    guard trajectories.contains(where: folder.hasFile) else { throw try foreign(folder) }
    let pictures = try folder.files(in: pictureFolder)
    let depths = try folder.files(in: depthFolder, endings: [".png"])
    guard let matches = NamePairs(pictures, depths) else {
      throw .unpairedFiles(
        pictures: pictures.count, folder: pictureFolder, depths: depths.count, depthFolder: depthFolder)
    }
    return zip(pictures, matches.partners).map { picture, partner in (partner.map { depths[$0] }, picture) }
  }

  /// Matrices by the number of their frame: five lines each, three whole numbers and four rows.
  private static func poses(
    _ log: String, _ folder: CaptureFolder
  ) throws(CaptureError) -> [Int: [Double]] {
    let rows = try folder.rows(log, separatedBy: .blanks, namedBy: log)
    var poses: [Int: [Double]] = [:]
    for start in stride(from: 0, to: rows.count, by: 5) {
      let expected = "three whole numbers, the first a frame's own"
      let heading = try rows[start].numbers(count: 3, expected: expected)
      guard let number = Int(exactly: heading[0]), number >= 0, poses[number] == nil else {
        throw rows[start].bad(expected)
      }
      guard start + 5 <= rows.count else { throw rows[start].bad("followed by four rows of a matrix") }
      var matrix: [Double] = []
      for row in rows[start + 1..<start + 5] {
        matrix += try row.poseNumbers(count: 4, expected: "four numbers, a row of a matrix")
      }
      poses[number] = matrix
    }
    return poses
  }

  /// `world`: Which way is up is for the caller to tell.
  private static func pose<W: SpatialFrame>(
    _ matrix: [Double], in world: W.Type, log: String, number: Int
  ) throws(CaptureError) -> RigidTransform<CameraARKit, W> {
    let file = "\(log), frame \(number)"
    guard matrix.allSatisfy(\.isFinite) else {
      throw .badPose(file: file, reason: "contains NaN or infinity")
    }
    let pose: RigidTransform<CameraOpenCV, W> = try FrameFields.pose(matrix, order: .rowMajor, file: file)
    return pose.ofARKitCamera
  }
}
