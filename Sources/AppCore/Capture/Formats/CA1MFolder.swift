import FileFormats
import Geometry
import Imaging

/// A video of CA-1M, unpacked: for each time in nanoseconds `TIME.wide` with `image.png`, `image/K.json` and `depth.png`, and
/// `TIME.gt` with `RT.json`.
///
/// Pictures are stored upright. The pose is camera-to-world by rows, the camera's axes OpenCV's, the laser scanner's world
/// with +z against gravity. Depth is u16 millimeters. Its confidence is a TIFF, which is not read: all readings count.
enum CA1MFolder: CaptureFormat {
  private static let frame = ".wide"
  private static let truth = ".gt"

  static let marks = "TIME\(frame) and TIME\(truth) (CA-1M)"

  /// Where the laser scanner's depth of a frame lies.
  static func laserDepth(of name: String) -> String { "\(name)\(truth)/depth.png" }

  /// Where the boxes that a frame shows lie, in its camera's axes.
  static func boxes(of name: String) -> String { "\(name)\(frame)/instances.json" }

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.sorted.contains { time($0) != nil && folder.hasSubfolder($0) }
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let names = try folder.names().filter { time($0) != nil }.map { String($0.dropLast(frame.count)) }
    return try IndexedCapture(.ca1m, folder, names: names, filesOf: [nil]) { position throws(CaptureError) in
      let name = names[position]
      guard let time = time(name + frame) else { throw .untimedName(file: name) }
      let (camera, pose) = ("\(name)\(frame)/image/K.json", "\(name)\(truth)/RT.json")
      let picture = "\(name)\(frame)/image.png"
      let size = try DepthDecoding.pictureHeader(
        folder.bytes(picture, namedBy: picture), file: picture, limits: folder.limits
      ).size
      let stated = try FrameFields.camera(
        folder.matrix(camera, side: 3), order: .rowMajor, size: size, file: camera)
      let toWorld: RigidTransform<CameraOpenCV, WorldZUp> = try FrameFields.pose(
        folder.matrix(pose, side: 4), order: .rowMajor, file: pose)
      return IndexedShot(
        name: name, file: picture, timestamp: time, picture: picture, depth: "\(name)\(frame)/depth.png",
        camera: stated, cameraToWorld: toWorld.ofARKitCamera.inYUpWorld, orientation: .up)
    }
  }

  /// Seconds of the folder of a frame; nil of any other name.
  private static func time(_ name: String) -> Double? {
    guard name.hasSuffix(frame) else { return nil }
    let digits = name.dropLast(frame.count)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let nanoseconds = integer(of: digits, in: 0...Int.max)
    else { return nil }
    return Double(nanoseconds) / 1e9
  }
}

extension CaptureFolder {
  /// The elements by rows of a square matrix that is all of a JSON file.
  fileprivate func matrix(_ name: String, side: Int) throws(CaptureError) -> [Double] {
    let value = try json(name)
    let rows = value.array?.compactMap(\.numbers) ?? []
    let elements = rows.isEmpty ? value.numbers ?? [] : rows.flatMap(\.self)
    guard elements.count == side * side, elements.allSatisfy(\.isFinite) else {
      throw .badField(file: name, field: "matrix", expected: "\(side) rows of \(side) numbers")
    }
    return elements
  }

  /// Parses a JSON file of any structure.
  func json(_ name: String) throws(CaptureError) -> JSONValue {
    let bytes = try bytes(name, namedBy: name, limit: limits.frameFileBytes)
    do {
      return try JSONValue.parse(bytes, limits: limits.json, python: true)
    } catch {
      throw .malformed(file: name, reason: error.description)
    }
  }
}
