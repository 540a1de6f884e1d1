/// Task of a YOLO network, by the suffix of its name.
package enum YOLOTask: String, Sendable, CaseIterable {
  /// Boxes of objects.
  case detect = ""
  /// Boxes and masks of objects.
  case segment = "-seg"
  /// Boxes of objects, and the places of their key points.
  case pose = "-pose"
  /// Boxes turned as objects are, seen from above.
  case orientedBoxes = "-obb"
  /// Classes of whole pictures.
  case classify = "-cls"

  /// Kind of objects found, for people.
  package var finds: String {
    switch self {
    case .detect: "boxes"
    case .segment: "boxes and masks"
    case .pose: "boxes and key points"
    case .orientedBoxes: "oriented boxes"
    case .classify: "classes of whole pictures"
    }
  }
}
