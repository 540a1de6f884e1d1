/// A design of YOLO networks, by what its networks are called.
package enum YOLOGeneration: String, Sendable, CaseIterable {
  case v8 = "yolov8"
  case v11 = "yolo11"
  case v26 = "yolo26"

  /// Its name, for people.
  package var title: String {
    switch self {
    case .v8: "YOLOv8"
    case .v11: "YOLO11"
    case .v26: "YOLO26"
    }
  }

  /// Index of the head among the layers of a network for such a task.
  package func headIndex(_ task: YOLOTask) -> Int {
    switch self {
    case .v8: task == .classify ? 9 : 22
    case .v11, .v26: task == .classify ? 10 : 23
    }
  }
}
