import AppCore
import FileFormats
import Geometry
import Imaging

/// Reads what one stage wrote for the next, each defect told with the file's name.
enum Documents {
  static func detections(
    _ path: String, of frame: CapturedFrame, limits: LimitOptions
  ) throws -> DetectionsFile {
    try InFile.naming(path) {
      try DetectionsFile(json: JSONValue.read(path: path, limits: limits.json), expecting: frame.imageSize)
    }
  }

  /// The results picture's items: detections with what `objects.json` says of them.
  static func items(
    _ detections: [Detection], objects path: String, limits: LimitOptions
  ) throws -> [ResultsItem] {
    try InFile.naming(path) {
      try ResultsItem.items(of: detections, objects: JSONValue.read(path: path, limits: limits.json))
    }
  }

  /// A map of floats that covers a picture: (height, width), of the picture's shape.
  static func map(_ path: String, of frame: CapturedFrame) throws -> Plane<Float> {
    try InFile.naming(path) {
      let array = try NPYArray.read(path: path)
      guard array.shape.count == 2, array.storage.isFloatingPoint else {
        throw DocumentError.field(
          "array",
          expected: "floating-point numbers (height, width), found \(array.storage.typeName) \(array.shape)")
      }
      let size = try PixelSize(checking: array.shape[1], array.shape[0])
      let aspect = Double(size.width) / Double(size.height)
      let expected = Double(frame.imageSize.width) / Double(frame.imageSize.height)
      guard abs(aspect / expected - 1) <= aspectTolerance else {
        throw DocumentError.imageSize(found: "shape \(text(size))", expected: text(frame.imageSize))
      }
      return Plane(width: size.width, height: size.height, elements: array.floats())
    }
  }

  /// How far the shapes of a map and its picture may differ: a network's input is rounded to whole patches.
  private static let aspectTolerance = 0.05

  private static func text(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
}

extension NPYArray.Storage {
  fileprivate var isFloatingPoint: Bool {
    switch self {
    case .float16, .float32, .float64: true
    default: false
    }
  }
}
