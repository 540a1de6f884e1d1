import AppCore
import FileFormats
import Geometry
import Imaging

/// Reads the files that one stage writes for the next; errors name the file.
enum Documents {
  /// - `name`: the name of the frame that they must be of; nil for any.
  static func detections(
    _ path: String, of frame: CapturedFrame, named name: String?, limits: CaptureLimits
  ) throws -> DetectionsFile {
    try refuseFolder(path, "detections.json")
    var missing = 0
    let file = try InFile.naming(path) {
      try DetectionsFile(
        json: JSONFile.read(
          path, wanted: "detections.json, which ardf detect and ardf run write", limits: limits.json),
        expecting: frame.imageSize, named: name
      ) { name in
        let path = path.lastIndex(of: "/").map { path[...$0] + name } ?? name
        guard fileExists(path) else {
          missing += 1
          return nil
        }
        return try InFile.naming(path) { try plane(path) }
      }
    }
    if missing > 0 {
      Console.note(
        "\(path): the probabilities of \(counted(missing, "mask")) are missing; using the masks' pixels")
    }
    return file
  }

  /// Refuses the folder of a run whose summary says that it is of another frame; one without summary is taken.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - name: The frame's name; nil for any.
  /// - Throws: `InFile` of the summary.
  static func checkSummary(in folder: String, isOf name: String?) throws {
    let path = "\(folder)/summary.json"
    guard name != nil, fileExists(path),
      let summary = try? JSONFile.read(path, wanted: "summary.json, which ardf run writes")
    else { return }
    try InFile.naming(path) { try DetectionsFile.check(image: summary["image"]?.string, isOf: name) }
  }

  /// Refuses the folder of results where the file in it is needed.
  ///
  /// - Throws: `CommandError.input`.
  static func refuseFolder(_ path: String, _ name: String) throws {
    guard pathKind(path) == .folder else { return }
    throw CommandError.input("\(path): is a folder; give the file in it: \(shellWord("\(path)/\(name)"))")
  }

  /// Metric depth that `ardf fuse` wrote into a folder, with the source of each pixel where metric-source.png exists.
  static func metric(in folder: String, of frame: CapturedFrame) throws -> MetricDepth {
    let values = try map("\(folder)/metric.npy", of: frame)
    let path = "\(folder)/\(FrameWriter.metricSource)"
    guard fileExists(path) else { return MetricDepth(fitted: values) }
    return try InFile.naming(path) {
      let codes = try ImageCodec.decodeGray8(path: path)
      guard codes.size == values.size else {
        throw DocumentError.imageSize(found: text(codes.size), expected: text(values.size))
      }
      guard let metric = MetricDepth(values: values, codes: codes) else {
        throw DocumentError.field("pixels", expected: "codes from 0 to 4, 0 where metric.npy has no depth")
      }
      return metric
    }
  }

  /// The results picture's items: detections, joined with their entries of `objects.json`.
  static func items(
    _ detections: [Detection], objects path: String, limits: CaptureLimits
  ) throws -> [ResultsItem] {
    try refuseFolder(path, "objects.json")
    return try InFile.naming(path) {
      let objects = try JSONFile.read(
        path, wanted: "objects.json, which ardf place and ardf run write", limits: limits.json)
      return try ResultsItem.items(of: detections, objects: objects)
    }
  }

  /// A map of floats that covers a picture: (height, width), of the picture's shape.
  static func map(_ path: String, of frame: CapturedFrame) throws -> Plane<Float> {
    try InFile.naming(path) {
      let plane = try plane(path)
      let size = plane.size
      let aspect = Double(size.width) / Double(size.height)
      let expected = Double(frame.imageSize.width) / Double(frame.imageSize.height)
      guard abs(aspect / expected - 1) <= aspectTolerance else {
        throw DocumentError.imageSize(found: "shape \(text(size))", expected: text(frame.imageSize))
      }
      return plane
    }
  }

  /// Floats (height, width).
  private static func plane(_ path: String) throws -> Plane<Float> {
    let array = try NPYArray.read(path: path)
    guard array.shape.count == 2, array.storage.isFloatingPoint else {
      throw DocumentError.field(
        "array",
        expected: "floating-point numbers (height, width), found \(array.storage.typeName) \(array.shape)")
    }
    let size = try PixelSize(checking: array.shape[1], array.shape[0])
    return Plane(width: size.width, height: size.height, elements: array.floats())
  }

  /// Allowed difference of the aspect ratios of a map and its picture: a network's input is rounded to whole patches.
  private static let aspectTolerance = 0.05

  private static func text(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
}

extension NPYArray.Storage {
  fileprivate var isFloatingPoint: Bool {
    switch self {
    case .float16, .float32, .float64: true
    case .bool, .uint8, .int8, .uint16, .int16, .uint32, .int32, .uint64, .int64: false
    }
  }
}
