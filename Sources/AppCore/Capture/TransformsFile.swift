import Glibc
import Geometry

/// `transforms.json` as nerfstudio and instant-ngp read it.
///
/// `transform_matrix` is camera-to-world by rows, the camera's axes OpenGL's (as ARKit's), the world's +z
/// against gravity. The principal point counts from the picture's corner. Depth is u16 or float32 in units of
/// `integer_depth_scale` or `depth_unit_scale_factor` meters, a thousandth where neither is given.
enum TransformsFile: CaptureFormat {
  static let name = "transforms.json"

  private static let pinholeModels = ["OPENCV", "PINHOLE", "SIMPLE_PINHOLE"]
  private static let distortions = ["k1", "k2", "k3", "k4", "p1", "p2"]

  static let marks = name

  static func recognizes(_ folder: CaptureFolder, names: Set<String>) -> Bool { names.contains(name) }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let common = try folder.metadata(name, limit: folder.limits.indexBytes)
    let entries = try common.objects("frames", called: "frame")
    let unit = try depthUnit(common)
    let names = frameNames(of: entries.map { (try? $0.string("file_path")) ?? "" })
    return try IndexedCapture(.transforms, folder, names: names) { position throws(CaptureError) in
      let entry = entries[position]
      let stated = try entry.string("file_path")
      try folder.check(stated, namedBy: entry.file)
      let endings = ["", ".png", ".jpg", ".jpeg"]
      guard let ending = endings.first(where: { folder.hasPlainFile(stated + $0) }) else {
        throw .missingFile(file: entry.file, name: stated)
      }
      let depth = try entry.optionalString(entry.has("depth_file_path") ? "depth_file_path" : "depth_path")
      let pose: RigidTransform<CameraARKit, WorldZUp> = try FrameFields.pose(
        entry.matrix("transform_matrix", rows: 4, columns: 4), order: .rowMajor, file: entry.file)
      return IndexedShot(
        name: names[position], file: entry.file, timestamp: Double(position),
        picture: stated + ending, depth: depth, depthUnit: unit, camera: try camera(entry, or: common),
        cameraToWorld: pose.inYUpWorld)
    }
  }

  private static func depthUnit(_ common: FrameFields) throws(CaptureError) -> DepthUnit {
    for field in ["integer_depth_scale", "depth_unit_scale_factor"] where common.has(field) {
      let unit = Float(try common.number(field))
      guard unit > 0, unit.isFinite else {
        throw .badField(file: name, field: field, expected: "a positive number of meters")
      }
      return DepthUnit(png: unit, npy: unit)
    }
    return DepthUnit(png: DepthDecoding.metresPerMillimetre, npy: DepthDecoding.metresPerMillimetre)
  }

  /// Fields of the frame before those common to all.
  private static func camera(
    _ entry: FrameFields, or common: FrameFields
  ) throws(CaptureError) -> StatedCamera {
    func fields(_ field: String) -> FrameFields { entry.has(field) ? entry : common }
    func number(_ field: String) throws(CaptureError) -> Double? {
      let fields = fields(field)
      return fields.has(field) ? try fields.number(field) : nil
    }
    if let model = try fields("camera_model").optionalString("camera_model"), !pinholeModels.contains(model) {
      throw .unsupportedLens(file: entry.file, reason: "camera_model \"\(model)\" is no pinhole")
    }
    for field in distortions {
      guard let coefficient = try number(field), coefficient != 0 else { continue }
      throw .unsupportedLens(file: entry.file, reason: "\(field) is not 0")
    }
    let width = try fields("w").number("w")
    let height = try fields("h").number("h")
    let size = try FrameFields.size(width, height, file: entry.file, field: "w, h")
    /// A focal length, stated or by the angle that a side of the picture spans.
    func focalLength(_ field: String, angle: String, side: Double) throws(CaptureError) -> Double? {
      if let stated = try number(field) { return stated }
      return try number(angle).map { side / 2 / tan($0 / 2) }
    }
    guard let fx = try focalLength("fl_x", angle: "camera_angle_x", side: width) else {
      throw .missingField(file: entry.file, field: "fl_x")
    }
    let fy = try focalLength("fl_y", angle: "camera_angle_y", side: height)
    let (cx, cy) = (try number("cx"), try number("cy"))
    // Coordinates from the corner are those from the pixel's center plus one half.
    return StatedCamera(
      fx: fx, fy: fy ?? fx, cx: (cx ?? width / 2) - 0.5, cy: (cy ?? height / 2) - 0.5, size: size)
  }
}
