import AppCore
import Evaluation
import FileFormats
import NNRuntime

/// The results of an evaluation.
protocol EvaluationReport {
  /// The evaluated networks and data, for people.
  var heading: String { get }
  /// A row a precision.
  var table: EvaluationTable { get }
  /// The report as JSON.
  var document: JSONValue { get }
}

/// Rows of figures.
struct EvaluationTable {
  let header: [String]
  let rows: [[String]]

  private var numbers: Set<Int> { Set(1..<header.count) }

  var text: String {
    var table = TextTable(header, rightAligned: numbers)
    for row in rows { table.add(row) }
    return table.text
  }

  var markdown: String { markdownTable(header, rows, numbers: numbers) }
  var csv: String { csvTable(header, rows) }
}

extension AveragePrecision {
  var document: JSONValue {
    [
      "mAP50-95": .rounded(mean, decimals: 6), "mAP50": .rounded(at50, decimals: 6),
      "atThresholds": .array(atThresholds.map { .rounded($0, decimals: 6) }),
    ]
  }
}

/// Average precision of a detector.
struct ObjectReport: EvaluationReport {
  struct Row {
    let precision: Precision
    let kernels: String
    let boxes: PrecisionResult
    /// Precision of masks or key points.
    let shapes: PrecisionResult?
  }

  let network: String
  let weightsDigest: String
  let classNames: [String]
  let rule: EvaluationProtocol
  let input: String
  /// The compared shape besides boxes.
  let shape: EvaluatedShape
  /// How masks are made.
  let masks: String?
  let thresholds: (confidence: Double, overlap: Double, limit: Int)
  let pictures: Int
  let leftOut: LeftOutInputs
  let labels: Int
  let rows: [Row]

  var heading: String {
    let count = rows.first?.boxes.classes.count ?? 0
    return
      "\(network), \(input), \(counted(pictures, "picture")), \(counted(labels, "label")) of \(counted(count, "class", "classes")), protocol \(rule.rawValue)"
  }

  var table: EvaluationTable {
    let isCompared = rows.count > 1
    var header = ["precision", "box mAP50-95", "box mAP50"]
    if isCompared { header.append("box change") }
    if let name = shapeName {
      header += ["\(name) mAP50-95", "\(name) mAP50"] + (isCompared ? ["\(name) change"] : [])
    }
    return EvaluationTable(
      header: header,
      rows: rows.map { row in
        [row.precision.rawValue] + cells(row.boxes, rows[0].boxes, isCompared)
          + (row.shapes.flatMap { shapes in rows[0].shapes.map { cells(shapes, $0, isCompared) } } ?? [])
      })
  }

  private var shapeName: String? {
    switch shape {
    case .boxes, .orientedBoxes: nil
    case .masks: "mask"
    case .keypoints: "pose"
    }
  }

  /// The results of a precision by their names in the document.
  private func results(_ row: Row) -> [String: JSONValue] {
    switch shape {
    case .boxes: ["boxes": document(row.boxes), "masks": .null]
    case .masks: ["boxes": document(row.boxes), "masks": row.shapes.map(document) ?? .null]
    case .keypoints: ["boxes": document(row.boxes), "keypoints": row.shapes.map(document) ?? .null]
    case .orientedBoxes: ["orientedBoxes": document(row.boxes)]
    }
  }

  private func cells(_ result: PrecisionResult, _ first: PrecisionResult, _ isCompared: Bool) -> [String] {
    let (mean, at50) = (result.overall?.mean ?? 0, result.overall?.at50 ?? 0)
    return [decimal(mean, 4), decimal(at50, 4)]
      + (isCompared ? [decimal(mean - (first.overall?.mean ?? 0), 4)] : [])
  }

  var document: JSONValue {
    [
      "schema": "ardf.evaluation/1", "task": "objects", "network": .string(network),
      "weightsSHA256": .string(weightsDigest), "protocol": .string(rule.rawValue), "input": .string(input),
      "masks": masks.map(JSONValue.string) ?? .null,
      "confidence": .rounded(thresholds.confidence, decimals: 6),
      "iou": .rounded(thresholds.overlap, decimals: 6), "maxDetections": .integer(thresholds.limit),
      "pictures": .integer(pictures), "leftOut": .integer(leftOut.entries.count), "labels": .integer(labels),
      "leftOutPictures": .array(leftOut.json),
      "results": .array(
        rows.map { row in
          var members = results(row)
          members["precision"] = .string(row.precision.rawValue)
          members["kernels"] = .string(row.kernels)
          return .object(members)
        }),
    ]
  }

  private func document(_ result: PrecisionResult) -> JSONValue {
    var members = result.overall?.document.object ?? [:]
    members["classes"] = .array(
      result.classes.map { entry in
        var members = entry.precision.document.object ?? [:]
        members["classId"] = .integer(entry.classIndex)
        members["className"] = .string(classNames[entry.classIndex])
        members["labels"] = .integer(entry.labels)
        return .object(members)
      })
    return .object(members)
  }
}
