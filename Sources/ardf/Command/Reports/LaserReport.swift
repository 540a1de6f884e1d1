import Evaluation
import FileFormats

/// Depth against a laser scanner's: the sensor's own, fused, and the fit alone.
struct LaserReport: FrameEvaluationReport {
  struct Row {
    let way: String
    let mean: LaserErrors
    /// In the order of the frames.
    let frames: [LaserErrors]
  }

  let network: String
  let weightsDigest: String
  let frames: [(source: String, name: String)]
  let leftOut: [(name: String, reason: String)]
  let unreadable: LeftOutInputs
  let rows: [Row]

  var heading: String {
    "\(network), \(counted(frames.count, "frame")) against a laser scanner, \(counted(rows.first?.mean.all.pixels ?? 0, "pixel")), AbsRel"
      + (leftOut.isEmpty ? "" : "; \(counted(leftOut.count, "frame")) left out")
  }

  var table: EvaluationTable {
    func cell(_ region: LaserErrors.Region) -> String { region.absRel.map { decimal($0, 4) } ?? "" }
    return EvaluationTable(
      header: ["depth", "all", "smooth", "edges"],
      rows: rows.map { [$0.way, cell($0.mean.all), cell($0.mean.smooth), cell($0.mean.edges)] })
  }

  var document: JSONValue {
    [
      "schema": "ardf.evaluation/1", "task": "laser", "network": .string(network),
      "weightsSHA256": .string(weightsDigest), "frames": .integer(frames.count),
      "leftOut": .array(
        leftOut.map { ["name": .string($0.name), "reason": .string($0.reason)] } + unreadable.json),
      "results": .array(
        rows.map { row in
          var members = document(row.mean)
          members["depth"] = .string(row.way)
          members["perFrame"] = .array(
            zip(frames, row.frames).map { frame, errors in
              var members = document(errors)
              members["source"] = .string(frame.source)
              members["frame"] = .string(frame.name)
              return .object(members)
            })
          return .object(members)
        }),
    ]
  }

  private func document(_ errors: LaserErrors) -> [String: JSONValue] {
    func entry(_ region: LaserErrors.Region) -> JSONValue {
      [
        "absRel": .rounded(region.absRel, decimals: 6), "pixels": .integer(region.pixels),
      ]
    }
    return ["all": entry(errors.all), "smooth": entry(errors.smooth), "edges": entry(errors.edges)]
  }
}
