import AppCore
import Geometry

/// Boxes that were measured beside those that captures are annotated with, frame by frame.
package struct BoxScoring {
  /// How well boxes agree.
  package struct Row {
    /// `all`, or a class.
    package let name: String
    package let accuracy: BoxAccuracy
  }

  /// Data sets' names of COCO's classes; others have the same name.
  private static let names = [
    "couch": "sofa", "dining table": "table", "tv": "tv_monitor", "potted plant": "plant",
  ]

  private var measured: [(label: String, box: BoxAccuracy.Measured)] = []
  private var annotated: [(label: String, box: BoxAccuracy.Annotated)] = []

  /// Nothing yet.
  package init() {}

  /// Adds what was measured in a frame, and what it is annotated with.
  package mutating func add(_ extents: [ObjectExtent], _ truth: [AnnotatedBox], frame: Int) {
    for extent in extents {
      guard let box = extent.box3D else { continue }
      let sides = extent.sides
      func isSeen(_ a: SideEvidence?, _ b: SideEvidence?) -> Bool { a != .inferred && b != .inferred }
      let name = extent.className
      measured.append(
        (
          Self.names[name] ?? name,
          BoxAccuracy.Measured(
            frame: frame, score: Double(extent.confidence), box: UprightBox(box),
            isObserved: (
              isSeen(sides?.minX, sides?.maxX), isSeen(sides?.minY, sides?.maxY),
              isSeen(sides?.minZ, sides?.maxZ)
            ))
        ))
    }
    for box in truth {
      annotated.append((box.label, BoxAccuracy.Annotated(frame: frame, box: UprightBox(box.box))))
    }
  }

  /// All boxes whatever their class, then each class that both know, by name.
  package var rows: [Row] {
    let shared = Set(measured.map(\.label)).intersection(annotated.map(\.label)).sorted()
    return [Row(name: "all", accuracy: BoxAccuracy(measured.map(\.box), annotated: annotated.map(\.box)))]
      + shared.map { name in
        Row(
          name: name,
          accuracy: BoxAccuracy(
            measured.filter { $0.label == name }.map(\.box),
            annotated: annotated.filter { $0.label == name }.map(\.box)))
      }
  }
}

extension UprightBox {
  fileprivate init(_ box: Box3D) {
    self.init(
      center: (box.center.x, box.center.y, box.center.z),
      sides: (box.dimensions.x, box.dimensions.y, box.dimensions.z), yaw: box.yaw)
  }
}
