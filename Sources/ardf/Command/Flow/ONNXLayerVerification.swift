import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// `ardf verify model.onnx`: every layer of the engine beside the definition of its nodes, on drawn inputs.
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

  /// Ends with a failed check where a layer is beyond its tolerance; the first one is named.
  static func run(model file: String, _ compute: ComputeOptions, json: Bool) throws {
    let model = try InFile.naming(file) { try ONNXModel(path: file) }
    let options = try compute.planOptions()
    let lowered = LoweredModel(model, options: options, pool: compute.makePool())
    let inputs = try model.drawnInputs()
    let layers = try InFile.naming(file) { try lowered.network(for: inputs).verifyLayers(inputs) }
    let tolerance = tolerance(options.precision)
    var table = TextTable(["layer", "operation", "cumulative", "isolated", ""], rightAligned: [2, 3])
    var documents: [JSONValue] = []
    for layer in layers {
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
    let faulty = layers.first { $0.isolated > tolerance } ?? layers.first { $0.cumulative > tolerance }
    let document: JSONValue = [
      "schema": "ardf.verify.onnx.layers/1", "passed": .bool(faulty == nil), "layers": .array(documents),
    ]
    try json ? Console.print(document) : Console.print(table.text)
    if let faulty {
      throw CommandError.checkFailed(
        "layer \"\(faulty.name)\" is the first that differs: isolated \(faulty.isolated), cumulative "
          + "\(faulty.cumulative), tolerance \(tolerance)")
    }
  }

  private static func number(_ value: Float) -> JSONValue { value.isFinite ? .number(Double(value)) : .null }
}
