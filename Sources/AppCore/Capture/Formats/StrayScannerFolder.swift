import FileFormats
import Geometry

/// Stray Scanner's export: `odometry.csv`, `camera_matrix.csv`, `depth/`, `confidence/`, and the pictures taken
/// out of `rgb.mp4` into `rgb/`.
///
/// The camera matrix is stored by rows, for the 1920 x 1440 picture; poses are camera-to-world, the camera's
/// axes OpenCV's, the world's +y against gravity.
enum StrayScannerFolder: CaptureFormat {
  static let odometry = "odometry.csv"
  static let cameraMatrix = "camera_matrix.csv"
  static let video = "rgb.mp4"
  static let pictures = "rgb"

  private static let recordedSize = PixelSize(width: 1920, height: 1440)
  private static let poseColumns = ["timestamp", "frame", "x", "y", "z", "qx", "qy", "qz", "qw"]
  private static let cameraColumns = ["fx", "fy", "cx", "cy"]

  static let marks = "\(odometry) with \(cameraMatrix) (Stray Scanner)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.isSuperset(of: [odometry, cameraMatrix])
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    guard folder.hasSubfolder(pictures) else {
      guard folder.hasFile(video) else { throw .missingFile(file: odometry, name: pictures) }
      throw .picturesInVideo(video: video, folder: pictures)
    }
    let rows = try folder.rows(odometry, separatedBy: .commas, namedBy: odometry)
    guard let header = rows.first else {
      throw .badLine(file: odometry, line: 1, expected: poseColumns.joined(separator: ", "))
    }
    let poseAt = try positions(of: poseColumns, in: header)
    let cameraAt = try? positions(of: cameraColumns, in: header)
    let common = try cameraAt == nil ? camera(folder) : nil
    let pictures = try folder.stems(in: pictures)
    let confidences = try folder.stems(in: "confidence", endings: [".png"])
    let entries = Array(rows.dropFirst())
    // nil of a row whose frame is not known.
    var seen: Set<Int> = []
    let numbers = entries.map { row in
      let field = poseAt[1] < row.fields.count ? Double(row.fields[poseAt[1]]) : nil
      return field.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 && seen.insert($0).inserted ? $0 : nil }
    }
    // Frames count from 0; who takes the pictures out of the video by hand has them from 1, one after the last frame.
    let last = seen.max() ?? 0
    let isFromOne =
      seen.contains(0) && pictures[zeroPadded(0, 6)] == nil && pictures[zeroPadded(last + 1, 6)] != nil
    let first = isFromOne ? 1 : 0
    let listed = NameSet(seen.map { zeroPadded($0 + first, 6) })
    let unlisted = pictures.keys.filter { !listed.contains($0) }.count
    var notes =
      unlisted == 0
      ? [] : ["\(odometry) has no line of \(counted(unlisted, "picture")) in rgb, left out"]
    if isFromOne {
      notes.append(
        "the pictures in rgb count from 1, the frames from 0: rgb/\(zeroPadded(1, 6)) is taken for frame 0, and so on"
      )
    }
    let names = zip(numbers, entries).map { number, row in
      number.map { zeroPadded($0, 6) } ?? "line \(row.line)"
    }
    return try IndexedCapture(.strayScanner, folder, names: names, notes: notes) {
      position throws(CaptureError) in
      let (row, name) = (entries[position], names[position])
      let file = "\(odometry), line \(row.line)"
      let v = try row.numbers(at: poseAt, expected: "numbers under every heading")
      guard let number = numbers[position] else { throw row.bad("a line with a frame number of its own") }
      guard let rotation = Quaternion(x: v[5], y: v[6], z: v[7], w: v[8]) else {
        throw .badPose(file: file, reason: "has a quaternion of zeros")
      }
      let stem = zeroPadded(number + first, 6)
      guard let picture = pictures[stem] else { throw .missingFile(file: file, name: "rgb/\(stem).jpg") }
      var frameCamera = common
      if let cameraAt {
        let k = try row.numbers(at: cameraAt, expected: "numbers under every heading")
        frameCamera = StatedCamera(fx: k[0], fy: k[1], cx: k[2], cy: k[3], size: recordedSize)
      }
      guard let frameCamera else { throw .missingField(file: odometry, field: "fx") }
      let pose = RigidTransform<CameraOpenCV, World>(
        rotation: rotation, origin: Point3(v[2], v[3], v[4]))
      return IndexedShot(
        name: name, file: file, timestamp: v[0], picture: picture, depth: "depth/\(name).png",
        confidence: confidences[name], camera: frameCamera, cameraToWorld: pose.ofARKitCamera)
    }
  }

  private static func positions(of columns: [String], in header: TextRow) throws(CaptureError) -> [Int] {
    var positions: [Int] = []
    for column in columns {
      guard let position = header.fields.firstIndex(of: column) else {
        throw .missingField(file: odometry, field: column)
      }
      positions.append(position)
    }
    return positions
  }

  /// fx 0 cx, 0 fy cy, 0 0 1.
  private static func camera(_ folder: CaptureFolder) throws(CaptureError) -> StatedCamera {
    let rows = try folder.rows(cameraMatrix, separatedBy: .commas, namedBy: cameraMatrix)
    guard rows.count == 3 else {
      throw .badLine(file: cameraMatrix, line: rows.last?.line ?? 1, expected: "one of 3 rows of 3 numbers")
    }
    var k: [Double] = []
    for row in rows { k += try row.numbers(count: 3, expected: "one of 3 rows of 3 numbers") }
    return try FrameFields.camera(k, order: .rowMajor, size: recordedSize, file: cameraMatrix)
  }
}
