import Geometry

/// A camera file in Open3D's form: `width`, `height`, `intrinsic_matrix` of nine numbers by columns.
enum PinholeCameraFile {
  /// The camera that Open3D and the TUM benchmark assume for PrimeSense and Kinect sensors whose camera is not stated.
  static let structureSensor = StatedCamera(
    fx: 525, fy: 525, cx: 319.5, cy: 239.5, size: PixelSize(width: 640, height: 480))

  /// The first camera file directly in a folder, by name.
  static func find(in folder: CaptureFolder) throws(CaptureError) -> StatedCamera? {
    for name in try folder.names() where name.hasSuffix(".json") {
      let fields = try folder.metadata(name)
      guard fields.has("intrinsic_matrix") else { continue }
      return try FrameFields.camera(
        try fields.numbers("intrinsic_matrix", count: 9), order: .columnMajor,
        size: try fields.size(width: "width", height: "height"), file: name)
    }
    return nil
  }
}
