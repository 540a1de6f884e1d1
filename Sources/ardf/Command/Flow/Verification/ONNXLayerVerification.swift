import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// `ardf verify model.onnx`: layers of the engine and all outputs beside the definition of their nodes, on drawn
/// inputs.
enum ONNXLayerVerification {
  /// The largest difference that a layer may have, as a share of its largest element.
  static func tolerance(_ precision: Precision) -> Float {
    switch precision {
    case .fp32: 1e-4
    case .int16: 5e-3
    case .int8: 0.15
    case .bf16, .fp16: 0.05
    }
  }

  /// Ends with a failed check where a layer or an output is beyond its tolerance; the first one is named.
  ///
  /// - `sizes`: of free axes by their names.
  /// - `failed`: shows only what is beyond the tolerance.
  static func run(
    model file: String, _ compute: ComputeSettings, sizes: NameTable<Int>, failed: Bool, json: Bool
  ) throws {
    let model = try InFile.naming(file) { try ONNXModel(path: file) }
    let options = try compute.planOptions()
    let lowered = LoweredModel(model, options: options, pool: compute.makePool())
    let inputs = try model.drawnInputs(sizes)
    let tolerance = tolerance(options.precision)
    let found = try InFile.naming(file) {
      try lowered.network(for: inputs).verified(inputs, tolerance: tolerance)
    }
    var table = TextTable(
      ["layer", "operation", "cumulative", "isolated", "sensitivity", ""], rightAligned: [2, 3, 4])
    var documents: [JSONValue] = []
    for layer in found.layers {
      let verdict = layer.verdict(tolerance)
      if !failed || verdict != .equal {
        table.add([
          layer.name, layer.operation, "\(layer.cumulative)", "\(layer.isolated)",
          text(layer.sensitivity),
          verdict.name,
        ])
      }
      documents.append([
        "name": .string(layer.name), "holds": .array(layer.holds.map(JSONValue.string)),
        "cumulative": number(layer.cumulative), "isolated": number(layer.isolated),
        "sensitivity": number(layer.sensitivity), "equal": .bool(verdict != .differs),
        "verdict": .string(verdict.name),
      ])
    }
    let outputs = found.outputs.map { (output: $0, verdict: $0.verdict(tolerance)) }
    for (output, verdict) in outputs where !failed || verdict != .equal {
      table.add([
        output.name, "output", "\(output.difference)", "", text(output.sensitivity), verdict.name,
      ])
    }
    let faults = found.layers.filter { $0.verdict(tolerance) == .differs }
    // What makes the error rather than what shows it.
    let faulty = faults.first { !($0.isolated <= tolerance) } ?? faults.first
    let document: JSONValue = [
      "schema": "ardf.verify.onnx.layers/1",
      "passed": .bool(faulty == nil && outputs.allSatisfy { $0.verdict != .differs }),
      "layers": .array(documents),
      "outputs": .array(
        outputs.map { output, verdict in
          [
            "name": .string(output.name), "difference": number(output.difference),
            "sensitivity": number(output.sensitivity), "equal": .bool(verdict != .differs),
            "verdict": .string(verdict.name),
          ]
        }), "uncompared": .array(found.uncompared.map(JSONValue.string)),
    ]
    let count =
      found.layers.count { $0.verdict(tolerance) == .sensitive }
      + outputs.count { $0.verdict == .sensitive }
    try json
      ? Console.print(document)
      : Console.print(
        table.text + sensitive(count) + uncompared(found.uncompared))
    if let faulty {
      throw CommandError.checkFailed(
        "layer \"\(faulty.name)\" is the first that differs: isolated \(faulty.isolated), cumulative "
          + "\(faulty.cumulative), tolerance \(tolerance), sensitivity \(faulty.sensitivity)")
    }
    if let (output, _) = outputs.first(where: { $0.verdict == .differs }) {
      throw CommandError.checkFailed(
        "output \"\(output.name)\" differs: \(output.difference), tolerance \(tolerance)")
    }
  }

  /// A line that counts differences beyond the tolerance that are not faults, and says why.
  static func sensitive(_ count: Int) -> String {
    count == 0
      ? ""
      : "sensitive: \(count) are beyond the tolerance after all layers before them, and the definition is as far from "
        + "itself when its layers are disturbed by their isolated differences; each of them alone is within it\n"
  }

  private static func text(_ sensitivity: Float) -> String {
    sensitivity == 0 ? "" : "\(sensitivity)"
  }

  /// A line that counts layers that were not compared, and names the first.
  private static func uncompared(_ layers: [String]) -> String {
    guard !layers.isEmpty else { return "" }
    let rest = layers.count - mostNamed
    return "not compared, since the file has no such tensors, \(counted(layers.count, "layer")): "
      + layers.prefix(mostNamed).joined(separator: ", ")
      + (rest > 0 ? " and \(counted(rest, "other")), which --json names" : "") + "\n"
  }

  private static let mostNamed = 5

  private static func number(_ value: Float) -> JSONValue {
    value.isFinite ? .number(Double(value)) : .null
  }
}

extension LayerVerdict {
  /// The word in tables and documents.
  var name: String {
    switch self {
    case .equal: "equal"
    case .sensitive: "sensitive"
    case .differs: "differs"
    }
  }
}
