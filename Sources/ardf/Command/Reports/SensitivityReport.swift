import FileFormats
import NNRuntime
import NNVerification

/// The error of lowering layers' precision, as text and as a document.
struct SensitivityReport {
  let findings: SensitivityRun.Findings
  let network: String
  let kernels: String
  let pictures: Int
  /// The metric of the scores, such as `mask mAP50-95`; nil without scores.
  let scoreName: String?

  private var analysis: SensitivityAnalysis { findings.analysis }

  private func times(_ layer: SensitivityAnalysis.Layer) -> (kept: Double, lowered: Double) {
    findings.times?.layers[layer.name] ?? (0, 0)
  }

  private func milliseconds(_ point: PrecisionSearch.Point) -> Double {
    findings.times?.milliseconds(lowering: findings.lowered[point.count] ?? []) ?? 0
  }

  var text: String {
    let (lowered, kept) = (analysis.precision.rawValue, analysis.kept.rawValue)
    var layers = TextTable(
      ["layer", "operation", "error", "ms \(kept)", "ms \(lowered)", "saved"]
        + (scoreName.map { [$0] } ?? []),
      rightAligned: [2, 3, 4, 5, 6])
    for (layer, score) in findings.layers {
      let times = times(layer)
      layers.add(
        [
          layer.name, layer.operation, scientific(layer.error), decimal(times.kept, 3),
          decimal(times.lowered, 3), decimal(times.kept - times.lowered, 3),
        ] + (score.map { [decimal($0, 4)] } ?? []))
    }
    var curve = TextTable(
      ["layers in \(lowered)", "ms", "error", "if independent"] + (scoreName.map { [$0] } ?? []),
      rightAligned: [0, 1, 2, 3, 4])
    for point in findings.points {
      curve.add(
        [
          "\(point.count)", decimal(milliseconds(point), 2), scientific(point.error),
          scientific(point.expected),
        ] + (findings.scores[point.count].map { [decimal($0, 4)] } ?? []))
    }
    var text =
      "\(network), kernels \(kernels), \(counted(pictures, "picture")): one layer at a time in \(lowered), the others in "
      + "\(kept); error: what the outputs change by, relative L2; of the curve, against fp32\n\n"
      + layers.text + "\n" + curve.text
    if let (point, plan) = findings.chosen {
      text +=
        "\nleast work within the error: \(counted(point.count, "layer")) in \(lowered), \(plan.exceptions.count) in \(kept), "
        + "error \(scientific(point.error)), \(decimal(milliseconds(point), 2)) ms\n"
    }
    return text
  }

  var document: JSONValue {
    [
      "schema": "ardf.sensitivity/1", "network": .string(network), "kernels": .string(kernels),
      "precision": .string(analysis.precision.rawValue), "kept": .string(analysis.kept.rawValue),
      "pictures": .integer(pictures), "score": scoreName.map(JSONValue.string) ?? .null,
      "layers": .array(
        findings.layers.map { layer, score in
          let times = times(layer)
          return [
            "name": .string(layer.name), "operation": .string(layer.operation),
            "error": .number(layer.error), "keptMs": .rounded(times.kept, decimals: 4),
            "loweredMs": .rounded(times.lowered, decimals: 4),
            "score": .rounded(score, decimals: 6),
          ]
        }),
      "curve": .array(
        findings.points.map { point in
          [
            "layers": .integer(point.count),
            "milliseconds": .rounded(milliseconds(point), decimals: 4),
            "error": .number(point.error), "expected": .number(point.expected),
            "score": .rounded(findings.scores[point.count], decimals: 6),
          ]
        }),
    ]
  }

  /// The plan that was asked for, as a file of `--plan`; nil where none was.
  var plan: JSONValue? {
    guard let (point, plan) = findings.chosen else { return nil }
    var members = plan.document
    members["kernels"] = .string(kernels)
    members["error"] = .number(point.error)
    members["pictures"] = .integer(pictures)
    return .object(members)
  }
}
