import FileFormats
import Geometry

/// A camera in a file of its own, as the tools of depth cameras write it.
///
/// | form | fields |
/// |---|---|
/// | RealSense, plain JSON | `fx`, `fy`, and `cx`, `cy` or `ppx`, `ppy`; `width`, `height` |
/// | Open3D, Azure Kinect's recorder | `intrinsic_matrix`, nine numbers by columns; `width`, `height` |
/// | ROS `camera_info` as YAML or JSON | `K`, `k` or `camera_matrix.data`, nine numbers by rows; `image_width`, `image_height` or `width`, `height`; `D` |
/// | numbers | `fx fy cx cy`, the same with width and height, or a matrix of nine by rows |
///
/// Where a file holds several cameras, that of `color` or `rgb` counts. A lens with distortion is refused.
struct CameraFile {
  private let file: String
  /// Numbers by the path of their field, lower case: `color.fx`, `camera_matrix.data`.
  private var fields: NameTable<[Double]> = [:]

  /// - Throws: `CaptureError`.
  init(path: String, limits: CaptureLimits) throws(CaptureError) {
    file = path
    let bytes: [UInt8]
    do {
      let mapped = try FileBytes(path: path)
      guard mapped.count <= limits.metadataBytes else {
        throw CaptureError.fileTooLarge(file: path, bytes: mapped.count, limit: limits.metadataBytes)
      }
      bytes = mapped.array()
    } catch let error as CaptureError {
      throw error
    } catch FileError.missing {
      throw .notFound(path: path)
    } catch let error as FileError {
      throw CaptureError(error, of: path)
    } catch {
      throw .unreadable(file: path, reason: "\(error)")
    }
    let text = TextFile.text(bytes)
    if let json = try? JSONValue.parse(text), json.object != nil {
      add(json, at: "")
    } else if text.contains(":") {
      addLines(of: text)
    } else {
      fields[""] = text.split { $0.isWhitespace || ",;[]".contains($0) }.compactMap { Double($0) }
    }
  }

  /// The camera that the file states.
  ///
  /// - Throws: `CaptureError.badIntrinsics`, `.unsupportedLens`.
  func camera() throws(CaptureError) -> StatedCamera {
    for name in ["d", "distortion_coefficients.data", "distortion_coefficients", "coeffs", "distortion"] {
      if let found = try values(name), found.contains(where: { abs($0) > Self.negligible }) {
        throw .unsupportedLens(file: file, reason: "the lens has distortion")
      }
    }
    if let numbers = fields[""] { return try camera(of: numbers) }
    let size = try size()
    if let fx = try number("fx"), let fy = try number("fy"), let cx = try number("cx", "ppx"),
      let cy = try number("cy", "ppy")
    {
      return StatedCamera(fx: fx, fy: fy, cx: cx, cy: cy, size: size)
    }
    for name in ["k", "camera_matrix.data", "camera_matrix", "intrinsic_matrix", "intrinsics", "matrix"] {
      if let matrix = try values(name), matrix.count == 9 { return try camera(matrix: matrix, size: size) }
    }
    throw .badIntrinsics(
      file: file, reason: "are not there: fx, fy, cx, cy, or a matrix K or intrinsic_matrix of nine numbers")
  }

  /// Coefficients below it move no pixel.
  private static let negligible = 1e-9

  private func camera(of numbers: [Double]) throws(CaptureError) -> StatedCamera {
    switch numbers.count {
    case 4: return StatedCamera(fx: numbers[0], fy: numbers[1], cx: numbers[2], cy: numbers[3])
    case 6:
      guard let width = Int(exactly: numbers[4]), let height = Int(exactly: numbers[5]),
        let size = try? PixelSize(checking: width, height)
      else { throw .badIntrinsics(file: file, reason: "are not for a size of whole pixels") }
      return StatedCamera(fx: numbers[0], fy: numbers[1], cx: numbers[2], cy: numbers[3], size: size)
    case 9: return try camera(matrix: numbers, size: nil)
    default:
      throw .badIntrinsics(
        file: file,
        reason:
          "are \(counted(numbers.count, "number")), not fx fy cx cy, these with width and height, or nine")
    }
  }

  /// A calibration matrix by rows or by columns: the principal point tells which.
  private func camera(matrix: [Double], size: PixelSize?) throws(CaptureError) -> StatedCamera {
    let order: MatrixOrder = matrix[2] == 0 && matrix[6] != 0 ? .columnMajor : .rowMajor
    // The size is only stored.
    let stated = try FrameFields.camera(
      matrix, order: order, size: size ?? PixelSize(width: 1, height: 1), file: file)
    return StatedCamera(fx: stated.fx, fy: stated.fy, cx: stated.cx, cy: stated.cy, size: size)
  }

  private func size() throws(CaptureError) -> PixelSize? {
    guard let width = try number("width", "image_width"),
      let height = try number("height", "image_height")
    else { return nil }
    guard let width = Int(exactly: width), let height = Int(exactly: height),
      let size = try? PixelSize(checking: width, height)
    else { throw .badIntrinsics(file: file, reason: "are not for a size of whole pixels") }
    return size
  }

  /// The number of the first of the names that there is.
  private func number(_ names: String...) throws(CaptureError) -> Double? {
    for name in names { if let found = try values(name)?.first { return found } }
    return nil
  }

  /// The numbers of the field of a name, at the top or in the only group that has it, or that of color.
  private func values(_ name: String) throws(CaptureError) -> [Double]? {
    if let found = fields[name] { return found }
    let groups = fields.keys.filter { $0.hasSuffix(".\(name)") }
    if groups.count < 2 { return groups.first.flatMap { fields[$0] } }
    let colored = groups.filter { $0.contains("color") || $0.contains("rgb") }
    guard colored.count == 1 else {
      throw .badIntrinsics(
        file: file, reason: "are there several times (\(groups.joined(separator: ", "))); leave one")
    }
    return fields[colored[0]]
  }

  private mutating func add(_ value: JSONValue, at path: String) {
    if let object = value.object {
      for (key, member) in object {
        add(member, at: path.isEmpty ? key.lowercased() : "\(path).\(key.lowercased())")
      }
    } else if let array = value.array {
      // A matrix may be a list of rows.
      let numbers = array.flatMap { $0.array?.compactMap(\.number) ?? [$0.number].compactMap(\.self) }
      if !numbers.isEmpty { fields[path] = numbers }
    } else if let number = value.number {
      fields[path] = [number]
    }
  }

  /// The few forms that YAML takes here: `key: 1`, `key: [1, 2]`, also over several lines, `- 1` below a key, and keys
  /// indented below another.
  private mutating func addLines(of text: String) {
    var group = ""
    var last = ""
    var isOpen = false
    for line in text.split(whereSeparator: \.isNewline) {
      let isIndented = line.first == " " || line.first == "\t"
      var numbers = line[...]
      if let colon = line.firstIndex(of: ":"), !isOpen {
        let key = line[..<colon].filter { !" \t\"'-".contains($0) }.lowercased()
        numbers = line[line.index(after: colon)...]
        if !isIndented { group = key }
        last = isIndented ? "\(group).\(key)" : key
        isOpen = false
      }
      if numbers.contains("[") { isOpen = true }
      if numbers.contains("]") { isOpen = false }
      let found = numbers.split { " \t,[]".contains($0) }.compactMap { Double($0) }
      if !found.isEmpty { fields[last, default: []] += found }
    }
  }
}

extension StatedCamera {
  /// A camera from `fx,fy,cx,cy`, from `fx,fy,cx,cy,width,height`, or from the file of that name (`CameraFile`).
  ///
  /// - Throws: `CaptureError`.
  public init(
    textOrFile text: String, limits: CaptureLimits = CaptureLimits()
  ) throws(CaptureError) {
    if let camera = try? StatedCamera(parsing: text) {
      self = camera
    } else {
      self = try CameraFile(path: text, limits: limits).camera()
    }
  }
}
