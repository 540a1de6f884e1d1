import AppCore
import Evaluation
import FileFormats
import Geometry

/// Measured boxes against annotated ones.
struct BoxReport: FrameEvaluationReport {
  struct Row {
    /// `all`, or a class.
    let name: String
    let accuracy: BoxAccuracy
  }

  let network: String
  let weightsDigest: String
  let frames: Int
  let unreadable: LeftOutInputs
  let rows: [Row]

  var heading: String {
    "\(network) and the sensor's depth, \(frames) frames, \(rows.first?.accuracy.labels ?? 0) annotated boxes; sides in % "
      + "of those found at .25, inferred ones left out"
  }

  var table: EvaluationTable {
    func share(_ value: Double?) -> String { value.map { decimal($0, 4) } ?? "" }
    func percent(_ value: Double?) -> String { value.map { decimal(100 * $0, 1) } ?? "" }
    return EvaluationTable(
      header: ["boxes", "annotated", "measured", "AP25", "AP50", "sides", "median", "95 %", "worst"],
      rows: rows.map { row in
        let found = row.accuracy
        return [
          row.name, "\(found.labels)", "\(found.measured)", share(found.at25), share(found.at50),
          "\(found.sides.count)", percent(found.side(0.5)), percent(found.side(0.95)),
          percent(found.sides.last),
        ]
      })
  }

  var document: JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .rounded($0, decimals: 6) } ?? .null }
    return [
      "schema": "ardf.evaluation/1", "task": "boxes", "network": .string(network),
      "weightsSHA256": .string(weightsDigest), "frames": .integer(frames), "leftOut": .array(unreadable.json),
      "results": .array(
        rows.map { row in
          let found = row.accuracy
          return [
            "boxes": .string(row.name), "annotated": .integer(found.labels),
            "measured": .integer(found.measured),
            "AP25": number(found.at25), "AP50": number(found.at50),
            "sides": [
              "count": .integer(found.sides.count), "median": number(found.side(0.5)),
              "p95": number(found.side(0.95)), "worst": number(found.sides.last),
            ],
          ]
        }),
    ]
  }
}

extension BoxReport {
  /// What was measured and what there is, frame by frame.
  struct Boxes {
    /// What data sets call COCO's classes; others are called alike.
    private static let names = [
      "couch": "sofa", "dining table": "table", "tv": "tv_monitor", "potted plant": "plant",
    ]

    private var measured: [(label: String, box: BoxAccuracy.Measured)] = []
    private var annotated: [(label: String, box: BoxAccuracy.Annotated)] = []

    mutating func add(_ extents: [ObjectExtent], _ truth: [AnnotatedBox], frame: Int) {
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
    var rows: [Row] {
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
}

extension UprightBox {
  fileprivate init(_ box: Box3D) {
    self.init(
      center: (box.center.x, box.center.y, box.center.z),
      sides: (box.dimensions.x, box.dimensions.y, box.dimensions.z), yaw: box.yaw)
  }
}
