import FileFormats
import FoundationEssentials
import Geometry
import Imaging
import TestSupport

/// A sound native capture in a temporary folder, and the means to spoil it.
struct CaptureFixture {
  static let imageSize = PixelSize(width: 32, height: 24)
  static let depthSize = PixelSize(width: 8, height: 6)

  let directory: TemporaryDirectory
  var path: String { directory.path }

  /// A folder with frame.json, image.png, depth.npy and confidence.npy.
  static func native() throws -> CaptureFixture {
    let fixture = CaptureFixture(directory: try TemporaryDirectory())
    try fixture.writeImage("image.png")
    try fixture.writeDepth("depth.npy")
    try fixture.writeConfidence("confidence.npy")
    try fixture.write(fields: nativeFields(), to: "frame.json")
    return fixture
  }

  /// An empty folder.
  static func empty() throws -> CaptureFixture { CaptureFixture(directory: try TemporaryDirectory()) }

  static func nativeFields(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "schema": "ardf.capture/1", "image": "image.png", "imageSize": [32, 24], "depth": "depth.npy",
      "confidence": "confidence.npy", "intrinsics": [28.0, 0, 0, 0, 28.0, 0, 15.5, 11.5, 1],
      "cameraToWorld": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0.2, 0.3, 1],
      "orientation": "landscapeRight", "timestamp": 12.5,
    ]
    for (field, value) in changes { fields[field] = value }
    return fields
  }

  /// The metadata of a clip's frame.
  static func clipFields(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "timestamp_ns": 2_500_000_000, "rgb_width": 32, "rgb_height": 24, "depth_width": 8, "depth_height": 6,
      "intrinsics_width": 32, "intrinsics_height": 24, "fx": 28.0, "fy": 28.0, "cx": 15.5, "cy": 11.5,
      "pose_format": "matrix4x4_col_major", "depth_format": "uint16_mm", "image_orientation": "portrait",
      // x down, y towards the viewer's left, z back: a phone held upright.
      "T_wc": [0, -1, 0, 0, -1, 0, 0, 0, 0, 0, -1, 0, 0.5, 1.5, 0, 1],
    ]
    for (field, value) in changes { fields[field] = value }
    return fields
  }

  /// The metadata of a 3D Scanner App frame, matrices by rows.
  static func scannerFields(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "time": 7.25, "intrinsics": [28.0, 0, 15.5, 0, 28.0, 11.5, 0, 0, 1],
      "cameraPoseARFrame": [1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1],
    ]
    for (field, value) in changes { fields[field] = value }
    return fields
  }

  func write(fields: [String: JSONValue], to name: String) throws {
    try directory.write(JSONValue.object(fields).serialized(), to: name)
  }

  /// Changes fields of frame.json; nil removes one.
  func changing(_ changes: [String: JSONValue?]) throws {
    try write(fields: Self.nativeFields(changes), to: "frame.json")
  }

  func writeImage(_ name: String, size: PixelSize = imageSize) throws {
    var image = RGBImage(width: size.width, height: size.height, color: .green)
    image[0, 0] = .red
    let isJPEG = name.hasSuffix(".jpg")
    try directory.write(isJPEG ? ImageCodec.encodeJPEG(image) : ImageCodec.encodePNG(image), to: name)
  }

  /// Depth rising by a millimeter a cell from 1 m, in row-major order.
  func writeDepth(_ name: String, size: PixelSize = depthSize) throws {
    let count = size.width * size.height
    if name.hasSuffix(".npy") {
      let meters = (0..<count).map { 1 + Float($0) * 0.001 }
      try directory.write(NPYArray(shape: [size.height, size.width], floats: meters).encoded(), to: name)
    } else {
      let plane = Plane(
        width: size.width, height: size.height, elements: (0..<count).map { UInt16(1000 + $0) })
      try directory.write(ImageCodec.encodePNG(plane), to: name)
    }
  }

  func writeConfidence(_ name: String, size: PixelSize = depthSize, value: UInt8 = 2) throws {
    let plane = Plane(width: size.width, height: size.height, fill: value)
    if name.hasSuffix(".npy") {
      let array = NPYArray(shape: [size.height, size.width], .uint8(plane.elements))
      try directory.write(array.encoded(), to: name)
    } else {
      try directory.write(ImageCodec.encodePNG(plane), to: name)
    }
  }

  /// The four files of a clip's frame.
  func writeClipFrame(_ stem: String, _ changes: [String: JSONValue?] = [:]) throws {
    try write(fields: Self.clipFields(changes), to: "\(stem).json")
    try writeImage("\(stem)_rgb.jpg")
    try writeDepth("\(stem)_depth.png")
    try writeConfidence("\(stem)_conf.png")
  }

  /// The four files of a 3D Scanner App frame.
  func writeScannerFrame(_ number: String, _ changes: [String: JSONValue?] = [:]) throws {
    try write(fields: Self.scannerFields(changes), to: "frame_\(number).json")
    try writeImage("frame_\(number).jpg")
    try writeDepth("depth_\(number).png")
    try writeConfidence("conf_\(number).png")
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: directory.file(name)) }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: directory.file(name), withDestinationPath: target)
  }

  /// One message of a recorded clip.
  static func message(_ changes: [String: JSONValue?] = [:], depthCells: Int = 48) throws -> [UInt8] {
    let image = try ImageCodec.encodeJPEG(RGBImage(width: 32, height: 24, color: .cyan))
    let header = Array(JSONValue.object(clipFields(changes)).serialized().utf8)
    let depth = (0..<depthCells).flatMap { cell in
      let millimeters = UInt16(1000 + cell)
      return [UInt8(millimeters & 0xFF), UInt8(millimeters >> 8)]
    }
    let confidence = [UInt8](repeating: 2, count: 48)
    return [header, image, depth, confidence].flatMap { lengthPrefix($0.count) + $0 }
  }

  static func lengthPrefix(_ count: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
  }

  /// index.jsonl and messages.bin of some messages.
  func writeRecordedClip(_ messages: [[UInt8]]) throws {
    var offset = 0
    var index = ""
    for (number, message) in messages.enumerated() {
      index += "{\"seq\": \(number), \"offset\": \(offset), \"length\": \(message.count)}\n"
      offset += message.count
    }
    try directory.write(index, to: "index.jsonl")
    try directory.write(messages.flatMap { $0 }, to: "messages.bin")
  }
}
