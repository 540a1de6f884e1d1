import FileFormats
import FileFormats
import Geometry
import Imaging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `transforms.json` as nerfstudio and instant-ngp read it.
///
/// A picture may be named without its ending, and with the backslashes of Windows' tools. Where width and height are not
/// stated they are the picture's. A frame of which a number is `NaN` or infinite, as that of a lost pose is, is damaged.
///
/// `transform_matrix` is camera-to-world by rows, the camera's axes OpenGL's (as ARKit's), the world's +z
/// against gravity. The principal point counts from the picture's corner. Depth is u16 or float32 in units of
/// `integer_depth_scale` or `depth_unit_scale_factor` meters, a thousandth where neither is given. Positions are divided by
/// `applied_scale`, as nerfstudio multiplies depth by it. A note names other fields of
/// the geometry.
enum TransformsFile: CaptureFormat {
  static let name = "transforms.json"

  /// With the coefficients below of zero.
  private static let pinholeModels = [
    "OPENCV", "PINHOLE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "FULL_OPENCV", "PERSPECTIVE",
  ]
  private static let distortions =
    ["k", "k1", "k2", "k3", "k4", "k5", "k6", "p1", "p2"] + (0...4).map { "ftheta_p\($0)" }
  /// Flags that, where true, say that the lens is not a pinhole.
  private static let otherLenses = ["is_fisheye", "latlong", "equirectangular"]
  /// Fields of the geometry that nerfstudio and instant-ngp read, and this does not.
  private static let unread = [
    "rolling_shutter", "transform_matrix_start", "transform_matrix_end", "up", "fisheye_crop_radius",
  ]

  static let marks = name

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool { names.contains(name) }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let common = try folder.metadata(name, limit: folder.limits.indexBytes)
    let entries = try common.objects("frames", called: "frame")
    let unit = try depthUnit(common)
    let scale = try appliedScale(common)
    let names = frameNames(of: entries.map { ((try? $0.string("file_path")) ?? "").withoutBackslashes })
    let notes = notes(common, entries, scale: scale)
    return try IndexedCapture(.transforms, folder, names: names, notes: notes) {
      position throws(CaptureError) in
      let entry = entries[position]
      let picture = try file(entry.string("file_path"), of: entry, in: folder, endings: pictureEndings)
      let field = entry.has("depth_file_path") ? "depth_file_path" : "depth_path"
      let depth = try entry.optionalString(field).map { stated throws(CaptureError) in
        try file(stated, of: entry, in: folder, endings: [".png", ".npy"])
      }
      let pose: RigidTransform<CameraARKit, WorldZUp> = try FrameFields.pose(
        matrix(entry, scale: scale), order: .rowMajor, file: entry.file)
      return IndexedShot(
        name: names[position], file: entry.file, timestamp: Double(position),
        picture: picture, depth: depth, depthUnit: unit,
        camera: try camera(entry, or: common) { () throws(CaptureError) in
          try pictureSize(picture, of: entry, in: folder)
        },
        cameraToWorld: pose.inYUpWorld)
    }
  }

  /// The path of a file that a frame names, maybe without its ending, which may be of either case.
  private static func file(
    _ stated: String, of entry: FrameFields, in folder: CaptureFolder, endings: [String]
  ) throws(CaptureError) -> String {
    let all = [""] + endings + endings.map { $0.uppercased() }
    for name in [stated, stated.withoutBackslashes] {
      guard (try? folder.check(name, namedBy: entry.file)) != nil else { continue }
      if let ending = all.first(where: { folder.hasPlainFile(name + $0) }) { return name + ending }
    }
    try folder.check(stated.withoutBackslashes, namedBy: entry.file)
    throw .missingFile(file: entry.file, name: stated)
  }

  /// Four rows, or the three that say something; the place divided by `scale`.
  private static func matrix(_ entry: FrameFields, scale: Double) throws(CaptureError) -> [Double] {
    var elements: [Double]
    do throws(CaptureError) {
      elements = try entry.matrix("transform_matrix", rows: 4, columns: 4)
    } catch {
      guard let rows = try? entry.matrix("transform_matrix", rows: 3, columns: 4) else { throw error }
      elements = rows + [0, 0, 0, 1]
    }
    for row in 0..<3 { elements[row * 4 + 3] /= scale }
    return elements
  }

  /// The factor of the poses: a unit is 1 / `applied_scale` meters.
  private static func appliedScale(_ common: FrameFields) throws(CaptureError) -> Double {
    let field = "applied_scale"
    guard common.has(field) else { return 1 }
    let scale = try common.number(field)
    guard AppliedScale.range.contains(scale) else {
      throw .badField(file: name, field: field, expected: AppliedScale.expected)
    }
    return scale
  }

  /// Fields of all frames and of each that say more of the geometry than is read, a line for each, once.
  private static func notes(_ common: FrameFields, _ entries: [FrameFields], scale: Double) -> [String] {
    var notes = scale == 1 ? [] : ["\(name): applied_scale is \(scale), positions are divided by it"]
    for field in unread where ([common] + entries).contains(where: { $0.says(field) }) {
      notes.append("\(name): \(field) is not used")
    }
    return notes
  }

  private static func pictureSize(
    _ picture: String, of entry: FrameFields, in folder: CaptureFolder
  ) throws(CaptureError) -> PixelSize {
    let bytes = try folder.bytes(picture, namedBy: entry.file)
    return try DepthDecoding.pictureHeader(bytes, file: picture, limits: folder.limits).size
  }

  private static func depthUnit(_ common: FrameFields) throws(CaptureError) -> DepthUnit {
    for field in ["integer_depth_scale", "depth_unit_scale_factor"] where common.has(field) {
      let stated = try common.number(field)
      guard DepthUnitMeters.range.contains(stated) else {
        throw .badField(file: name, field: field, expected: DepthUnitMeters.expected)
      }
      let unit = Float(stated)
      return DepthUnit(png: unit, npy: unit)
    }
    return DepthUnit(png: DepthDecoding.metersPerMillimeter, npy: DepthDecoding.metersPerMillimeter)
  }

  /// Fields of the frame before those common to all.
  private static func camera(
    _ entry: FrameFields, or common: FrameFields, pictureSize: () throws(CaptureError) -> PixelSize
  ) throws(CaptureError) -> StatedCamera {
    func fields(_ field: String) -> FrameFields { entry.has(field) ? entry : common }
    func number(_ field: String) throws(CaptureError) -> Double? {
      let fields = fields(field)
      return fields.has(field) ? try fields.number(field) : nil
    }
    if let model = try fields("camera_model").optionalString("camera_model"), !pinholeModels.contains(model) {
      throw .unsupportedLens(file: entry.file, reason: "camera_model \"\(model)\" is not a pinhole")
    }
    for field in distortions {
      guard let coefficient = try number(field), coefficient != 0 else { continue }
      throw .unsupportedLens(file: entry.file, reason: "\(field) is not 0")
    }
    let list = "distortion_params"
    if fields(list).has(list) {
      guard let coefficients = try fields(list).present(list).numbers else {
        throw .badField(file: entry.file, field: list, expected: "an array of numbers")
      }
      guard coefficients.allSatisfy({ $0 == 0 }) else {
        throw .unsupportedLens(file: entry.file, reason: "\(list) are not 0")
      }
    }
    for lens in otherLenses where try fields(lens).optionalFlag(lens) == true {
      throw .unsupportedLens(file: entry.file, reason: "\(lens) is true")
    }
    let size: PixelSize
    if fields("w").has("w"), fields("h").has("h") {
      size = try FrameFields.size(
        fields("w").number("w"), fields("h").number("h"), file: entry.file, field: "w, h")
    } else {
      size = try pictureSize()
    }
    let (width, height) = (Double(size.width), Double(size.height))
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

/// Factors that poses were multiplied by.
private enum AppliedScale: NumberBounds {
  static let range = 1e-9...1e9
  static let expected = "a number from 0.000000001 to 1,000,000,000"
}

extension FrameFields {
  /// Whether a field is there and is not zeros alone.
  fileprivate func says(_ field: String) -> Bool {
    guard let value = try? present(field) else { return false }
    return (value.numbers ?? value.number.map { [$0] })?.allSatisfy { $0 == 0 } != true
  }
}

extension String {
  /// A path as others than Windows' tools write it.
  fileprivate var withoutBackslashes: String {
    String(decoding: utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }
}
