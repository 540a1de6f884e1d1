import AppCore
import Evaluation
import FileFormats
import NNRuntime

/// What an evaluation came to.
protocol EvaluationReport {
  /// What was evaluated, for people.
  var heading: String { get }
  /// A row a precision.
  var table: EvaluationTable { get }
  /// All of it.
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
    let masks: PrecisionResult?
  }

  let network: String
  let weightsDigest: String
  let classNames: [String]
  let rule: EvaluationProtocol
  let input: String
  let masks: String?
  let thresholds: (confidence: Double, overlap: Double, limit: Int)
  let pictures: Int
  let leftOut: Int
  let labels: Int
  let rows: [Row]

  var heading: String {
    let count = rows.first?.boxes.classes.count ?? 0
    return
      "\(network), \(input), \(pictures) pictures, \(labels) labels of \(count) classes, protocol \(rule.rawValue)"
  }

  var table: EvaluationTable {
    let hasMasks = rows.contains { $0.masks != nil }
    let isCompared = rows.count > 1
    var header = ["precision", "box mAP50-95", "box mAP50"]
    if isCompared { header.append("box change") }
    if hasMasks { header += ["mask mAP50-95", "mask mAP50"] + (isCompared ? ["mask change"] : []) }
    return EvaluationTable(
      header: header,
      rows: rows.map { row in
        [row.precision.rawValue] + cells(row.boxes, rows[0].boxes, isCompared)
          + (row.masks.flatMap { masks in rows[0].masks.map { cells(masks, $0, isCompared) } } ?? [])
      })
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
      "pictures": .integer(pictures), "leftOut": .integer(leftOut), "labels": .integer(labels),
      "results": .array(
        rows.map { row in
          [
            "precision": .string(row.precision.rawValue), "kernels": .string(row.kernels),
            "boxes": document(row.boxes), "masks": row.masks.map(document) ?? .null,
          ]
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

/// Errors of a depth network.
struct DepthReport: EvaluationReport {
  struct Row {
    let precision: Precision
    let mean: DepthErrors
    /// In the order of the frames.
    let frames: [DepthErrors]
  }

  let network: String
  let weightsDigest: String
  let output: String
  let unit: DepthUnitRule
  /// Whether the network reads the very sensor that it is compared with.
  let isPrompted: Bool
  /// Frames that are evaluated.
  let frames: [(source: String, name: String)]
  let leftOut: [(name: String, reason: String)]
  let rows: [Row]

  var heading: String {
    let alignment =
      unit == .none ? "meters as they are" : "scale and shift of inverse depth fitted to each frame"
    let readings = rows.first?.mean.readings ?? 0
    return "\(network), \(output), \(frames.count) frames, \(readings) readings, \(alignment)"
      + (isPrompted ? "; the network has read the sensor that it is compared with" : "")
  }

  var table: EvaluationTable {
    let isCompared = rows.count > 1
    return EvaluationTable(
      header: ["precision", "AbsRel", "RMSE m", "delta1"] + (isCompared ? ["AbsRel change"] : []),
      rows: rows.map { row in
        [
          row.precision.rawValue, decimal(row.mean.absRel, 4), decimal(row.mean.rmse, 4),
          decimal(row.mean.delta1, 4),
        ] + (isCompared ? [decimal(row.mean.absRel - rows[0].mean.absRel, 4)] : [])
      })
  }

  var document: JSONValue {
    [
      "schema": "ardf.evaluation/1", "task": "depth", "network": .string(network),
      "weightsSHA256": .string(weightsDigest), "output": .string(output), "align": .string(unit.rawValue),
      "readsSensor": .bool(isPrompted), "frames": .integer(frames.count),
      "leftOut": .array(leftOut.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
      "results": .array(
        rows.map { row in
          var members = document(row.mean).object ?? [:]
          members["precision"] = .string(row.precision.rawValue)
          members["perFrame"] = .array(
            zip(frames, row.frames).map { frame, errors in
              var members = document(errors).object ?? [:]
              members["source"] = .string(frame.source)
              members["frame"] = .string(frame.name)
              return .object(members)
            })
          return .object(members)
        }),
    ]
  }

  private func document(_ errors: DepthErrors) -> JSONValue {
    [
      "absRel": .rounded(errors.absRel, decimals: 6), "rmseMeters": .rounded(errors.rmse, decimals: 6),
      "delta1": .rounded(errors.delta1, decimals: 6), "readings": .integer(errors.readings),
    ]
  }
}
