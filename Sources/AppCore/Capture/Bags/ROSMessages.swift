import FileFormats
import Geometry

/// When and in which frame something was measured.
struct ROSHeader {
  /// Nanoseconds; 0 where that was not filled in.
  let stamp: Int
  /// Without a leading slash, which ROS 1 had.
  let frame: String

  init(_ reader: inout CDRReader) throws(CDRError) {
    let seconds = try reader.signed()
    stamp = seconds * 1_000_000_000 + (try reader.unsigned())
    frame = Self.plain(try reader.text())
  }

  /// Bytes of a message that begins with a header up to the end of its time.
  static let stampBytes = 12

  /// The time of a message that begins with a header; 0 where it has none.
  static func stamp(of message: FileBytes) -> Int {
    guard message.count >= stampBytes, var reader = try? CDRReader(message.slice(0..<stampBytes)),
      let seconds = try? reader.signed(), let rest = try? reader.unsigned()
    else { return 0 }
    return seconds * 1_000_000_000 + rest
  }

  static func plain(_ frame: String) -> String { frame.hasPrefix("/") ? String(frame.dropFirst()) : frame }
}

/// `sensor_msgs/msg/Image`: rows of pixels as they are.
struct ROSImage {
  let header: ROSHeader
  let width: Int
  let height: Int
  /// Such as `rgb8` or `16UC1`.
  let encoding: String
  let isBigEndian: Bool
  /// Bytes from one row to the next.
  let step: Int
  private var reader: CDRReader

  init(_ message: FileBytes) throws(CDRError) {
    reader = try CDRReader(message)
    header = try ROSHeader(&reader)
    height = try reader.unsigned()
    width = try reader.unsigned()
    encoding = try reader.text()
    isBigEndian = try reader.byte() != 0
    step = try reader.unsigned()
  }

  /// The rows; a message of which only the beginning was read has none.
  func data() throws(CDRError) -> FileBytes {
    var reader = reader
    return try reader.octets()
  }
}

/// `sensor_msgs/msg/CompressedImage`: a picture's file.
struct ROSCompressedImage {
  let header: ROSHeader
  /// Such as `jpeg`, `rgb8; jpeg compressed bgr8` or `16UC1; compressedDepth png`.
  let format: String
  private var reader: CDRReader

  init(_ message: FileBytes) throws(CDRError) {
    reader = try CDRReader(message)
    header = try ROSHeader(&reader)
    format = try reader.text()
  }

  /// The file; a message of which only the beginning was read has none.
  func data() throws(CDRError) -> FileBytes {
    var reader = reader
    return try reader.octets()
  }
}

/// `sensor_msgs/msg/CameraInfo`: a calibrated camera.
struct ROSCameraInfo: Equatable {
  let frame: String
  let width: Int
  let height: Int
  let model: String
  let distortion: [Double]
  /// The camera's matrix, by rows: fx 0 cx, 0 fy cy, 0 0 1.
  let matrix: [Double]
  /// The matrix of the rectified picture, 3x4 by rows.
  let projection: [Double]
  /// The part of the sensor's picture that is sent: x, y, width, height; all 0 for the whole.
  let region: [Int]

  init(_ message: FileBytes) throws(CDRError) {
    var reader = try CDRReader(message)
    frame = try ROSHeader(&reader).frame
    height = try reader.unsigned()
    width = try reader.unsigned()
    model = try reader.text()
    distortion = try reader.doubles(try reader.unsigned())
    matrix = try reader.doubles(9)
    _ = try reader.doubles(9)
    projection = try reader.doubles(12)
    // What is binned shows the same field.
    _ = (try reader.unsigned(), try reader.unsigned())
    let (x, y) = (try reader.unsigned(), try reader.unsigned())
    let (height, width) = (try reader.unsigned(), try reader.unsigned())
    region = [x, y, width, height]
  }
}

/// Where a frame stood in another one at a time.
struct ROSTransform: Sendable {
  /// Nanoseconds.
  let stamp: Int
  let parent: String
  let child: String
  let pose: RigidTransform<ROSFrame, ROSFrame>

  /// `tf2_msgs/msg/TFMessage`; invalid transforms are left out.
  static func transforms(_ message: FileBytes) throws(CDRError) -> [ROSTransform] {
    var reader = try CDRReader(message)
    let count = try reader.unsigned()
    var found: [ROSTransform] = []
    for _ in 0..<count {
      let header = try ROSHeader(&reader)
      let child = ROSHeader.plain(try reader.text())
      if let transform = ROSTransform(header, child, try reader.doubles(7)) { found.append(transform) }
    }
    return found
  }

  /// `nav_msgs/msg/Odometry`; nil for an invalid pose.
  static func odometry(_ message: FileBytes) throws(CDRError) -> ROSTransform? {
    var reader = try CDRReader(message)
    let header = try ROSHeader(&reader)
    let child = ROSHeader.plain(try reader.text())
    return ROSTransform(header, child, try reader.doubles(7))
  }

  /// `geometry_msgs/msg/PoseStamped`, which does not say whose pose it is; nil for an invalid pose.
  static func pose(_ message: FileBytes) throws(CDRError) -> ROSTransform? {
    var reader = try CDRReader(message)
    let header = try ROSHeader(&reader)
    return ROSTransform(header, "", try reader.doubles(7))
  }

  /// `v`: x y z, qx qy qz qw.
  private init?(_ header: ROSHeader, _ child: String, _ v: [Double]) {
    guard v.allSatisfy(\.isFinite), let rotation = Quaternion(x: v[3], y: v[4], z: v[5], w: v[6]) else {
      return nil
    }
    (stamp, parent, self.child) = (header.stamp, header.frame, child)
    pose = RigidTransform(rotation: rotation, origin: Point3(v[0], v[1], v[2]))
  }
}

/// Any of the named frames of a robot; which two a transform joins is known by their names alone.
enum ROSFrame: SpatialFrame {}
