import Geometry

/// The metadata that accompany each frame of a clip, in its folder and its recorded form alike.
///
/// `T_wc` is the camera-to-world matrix by columns, ARKit axes; fx, fy, cx and cy belong to a picture of
/// `intrinsics_width` x `intrinsics_height`.
struct ClipHeader: Sendable {
  private let fields: FrameFields

  init(_ fields: FrameFields) { self.fields = fields }

  func timestamp() throws(CaptureError) -> Double { try fields.number("timestamp_ns") * 1e-9 }

  /// Everything that the header alone says of the frame.
  func parts(name: String) throws(CaptureError) -> FrameParts {
    try require("pose_format", "matrix4x4_col_major")
    try require("depth_format", "uint16_mm")
    try require("confidence_format", "uint8")
    let imageSize = try fields.size(width: "rgb_width", height: "rgb_height")
    let calibratedSize = try fields.size(width: "intrinsics_width", height: "intrinsics_height")
    return FrameParts(
      file: fields.file, name: name, timestamp: try timestamp(), imageSize: imageSize,
      orientation: try fields.orientation(
        fields.has("image_orientation") ? "image_orientation" : "device_orientation"),
      intrinsics: try fields.intrinsics(imageSize: calibratedSize).scaled(to: imageSize),
      cameraToWorld: try fields.pose("T_wc", order: .columnMajor),
      statedDepthSize: try fields.size(width: "depth_width", height: "depth_height"),
      sensor: CaptureLayout.clipFolder.sensor)
  }

  /// Checks a format field that, where present, must have one known value.
  private func require(_ field: String, _ expected: String) throws(CaptureError) {
    guard let found = try fields.optionalString(field), found != expected else { return }
    throw .badField(file: fields.file, field: field, expected: "\"\(expected)\", found \"\(found)\"")
  }
}
