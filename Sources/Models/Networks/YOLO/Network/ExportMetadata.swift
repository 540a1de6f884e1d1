import FileFormats

/// The metadata that Ultralytics' own client reads: a dictionary as Python writes it.
enum ExportMetadata {
  /// - `height`, `width`: of the input that clients make of a picture.
  static func text(of architecture: YOLOArchitecture, height: Int, width: Int) -> String {
    // JSON's texts are Python's.
    let names = architecture.classNames.enumerated().map {
      "\($0): \(JSONValue.string($1).serialized())"
    }
    let shape = architecture.keypoints.map { ", \"kpt_shape\": [\($0.count), \($0.dimensions)]" } ?? ""
    let end = architecture.isEndToEnd ? ", \"end2end\": True" : ""
    return """
      {"task": "\(task(of: architecture))", "stride": 32, "batch": 1, "imgsz": [\(height), \(width)], \
      "names": {\(names.joined(separator: ", "))}\(shape)\(end)}
      """
  }

  /// As Ultralytics calls it.
  private static func task(of architecture: YOLOArchitecture) -> String {
    switch architecture.task {
    case .detect: "detect"
    case .segment: "segment"
    case .pose: "pose"
    case .orientedBoxes: "obb"
    case .classify: "classify"
    }
  }
}
