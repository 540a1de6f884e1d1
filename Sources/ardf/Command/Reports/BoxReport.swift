import Evaluation
import FileFormats

/// Measured boxes against annotated ones.
struct BoxReport: FrameEvaluationReport {
  let network: String
  let weightsDigest: String
  let frames: Int
  let unreadable: LeftOutInputs
  let rows: [BoxScoring.Row]

  var heading: String {
    "\(network) and the sensor's depth, \(counted(frames, "frame")), \(counted(rows.first?.accuracy.labels ?? 0, "annotated box", "annotated boxes")); sides in % "
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
