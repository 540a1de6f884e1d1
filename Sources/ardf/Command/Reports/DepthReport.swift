import Evaluation
import FileFormats
import NNRuntime

/// Errors of a depth network.
struct DepthReport: FrameEvaluationReport {
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
  /// Whether the network reads the sensor with which it is compared.
  let isPrompted: Bool
  /// Frames that are evaluated.
  let frames: [(source: String, name: String)]
  let leftOut: [(name: String, reason: String)]
  let unreadable: LeftOutInputs
  let rows: [Row]

  var heading: String {
    let alignment =
      unit == .none ? "meters as they are" : "scale and shift of inverse depth fitted to each frame"
    let readings = rows.first?.mean.readings ?? 0
    return
      "\(network), \(output), \(counted(frames.count, "frame")), \(counted(readings, "reading")), \(alignment)"
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
      "leftOut": .array(
        leftOut.map { ["name": .string($0.name), "reason": .string($0.reason)] } + unreadable.json),
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
