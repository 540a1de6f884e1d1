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
    default: 0.05
    }
  }

  /// Ends with a failed check where a layer or an output is beyond its tolerance; the first one is named.
  ///
  /// - `sizes`: of free axes by their names.
  static func run(
    model file: String, _ compute: ComputeOptions, sizes: NameTable<Int>, json: Bool
  ) throws {
    let model = try InFile.naming(file) { try ONNXModel(path: file) }
    let options = try compute.planOptions()
    let lowered = LoweredModel(model, options: options, pool: compute.makePool())
    let inputs = try model.drawnInputs(sizes)
    let found = try InFile.naming(file) { try lowered.network(for: inputs).verified(inputs) }
    let tolerance = tolerance(options.precision)
    var table = TextTable(["layer", "operation", "cumulative", "isolated", ""], rightAligned: [2, 3])
    var documents: [JSONValue] = []
    for layer in found.layers {
      let isEqual = layer.cumulative <= tolerance && layer.isolated <= tolerance
      table.add([
        layer.name, layer.operation, "\(layer.cumulative)", "\(layer.isolated)",
        isEqual ? "equal" : "differs",
      ])
      documents.append([
        "name": .string(layer.name), "holds": .array(layer.holds.map(JSONValue.string)),
        "cumulative": number(layer.cumulative), "isolated": number(layer.isolated),
        "equal": .bool(isEqual),
      ])
    }
    let outputs = found.outputs.map { (output: $0, isEqual: $0.difference <= tolerance) }
    for (output, isEqual) in outputs {
      table.add([output.name, "output", "\(output.difference)", "", isEqual ? "equal" : "differs"])
    }
    let faulty =
      found.layers.first { $0.isolated > tolerance } ?? found.layers.first { $0.cumulative > tolerance }
    let document: JSONValue = [
      "schema": "ardf.verify.onnx.layers/1",
      "passed": .bool(faulty == nil && outputs.allSatisfy(\.isEqual)), "layers": .array(documents),
      "outputs": .array(
        outputs.map { output, isEqual in
          [
            "name": .string(output.name), "difference": number(output.difference), "equal": .bool(isEqual),
          ]
        }), "uncompared": .array(found.uncompared.map(JSONValue.string)),
    ]
    try json ? Console.print(document) : Console.print(table.text + uncompared(found.uncompared))
    if let faulty {
      throw CommandError.checkFailed(
        "layer \"\(faulty.name)\" is the first that differs: isolated \(faulty.isolated), cumulative "
          + "\(faulty.cumulative), tolerance \(tolerance)")
    }
    if let (output, _) = outputs.first(where: { !$0.isEqual }) {
      throw CommandError.checkFailed(
        "output \"\(output.name)\" differs: \(output.difference), tolerance \(tolerance)")
    }
  }

  /// A line that counts and names layers which nothing was compared with.
  private static func uncompared(_ layers: [String]) -> String {
    layers.isEmpty
      ? ""
      : "not compared, since the file has no such tensors, \(layers.count) layers: "
        + layers.joined(separator: ", ") + "\n"
  }

  private static func number(_ value: Float) -> JSONValue { value.isFinite ? .number(Double(value)) : .null }
}
