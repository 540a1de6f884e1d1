/// A detector or classifier as Ultralytics publishes it.
package struct PublishedDetector: Sendable {
  /// Name, such as `yolo11n-seg`.
  package let name: String
  /// The common name of networks that differ in size alone: `yolo11[nsmlx]-seg`.
  package let group: String
  /// The release of its checkpoint's address.
  package let release: String

  /// All of them, the newest generation first, and masks before other tasks.
  package static let all = YOLOGeneration.allCases.reversed().flatMap { generation in
    [YOLOTask.segment, .detect, .pose, .orientedBoxes, .classify].flatMap { task in
      YOLOVariant.allCases.map { size in
        PublishedDetector(
          name: generation.rawValue + size.rawValue + task.rawValue,
          group: "\(generation.rawValue)[nsmlx]\(task.rawValue)",
          release: generation == .v26 ? "v8.4.0" : "v8.3.0")
      }
    }
  }
}
