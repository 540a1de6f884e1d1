import FileFormats
import ONNX

/// `ardf verify` of ONNX files: a model's outputs against its test data.
enum ONNXVerification {
  /// One model and the folder of its test data.
  ///
  /// `failed`: shows only outputs that differ. Ends with a failed check where one does.
  static func run(model: String, reference: String, failed: Bool, json: Bool) throws {
    let network = try InFile.naming(model) { try ONNXModel(path: model) }
    if let defect = network.defect { throw InFile(file: model, error: defect) }
    let (cases, tolerances) = (CaseFolder(path: reference), try CaseTolerances(folder: reference))
    var table = TextTable(["data", "output", "largest", "of tolerance", ""], rightAligned: [2, 3])
    var (documents, failures) = ([JSONValue](), [String]())
    for name in try cases.dataSets() {
      let set = try cases.dataSet(name, of: network)
      let found = try InFile.naming(model) { try CaseCheck.differences(network, set, tolerances) }
      for (output, difference) in found {
        if !failed || !difference.isEqual {
          table.add([
            name, output, "\(Float(difference.greatest))", "\(Float(difference.excess))",
            difference.isEqual ? "equal" : "differs",
          ])
        }
        documents.append([
          "data": .string(name), "output": .string(output), "equal": .bool(difference.isEqual),
          "max_abs": number(difference.greatest), "excess": number(difference.excess),
        ])
        if let message = difference.message { failures.append("\(name): \(message)") }
      }
    }
    let document: JSONValue = [
      "schema": "ardf.verify.onnx/1", "passed": .bool(failures.isEmpty), "outputs": .array(documents),
    ]
    try json ? Console.print(document) : Console.print(table.text)
    guard failures.isEmpty else { throw CommandError.checksFailed(failures) }
  }

  /// One model and a file of tensors, by the names of its inputs, outputs and intermediate values.
  ///
  /// What is beyond its tolerance after all nodes before it is not a fault where the model is as far from itself. Ends with a
  /// failed check where a value differs or, without `layersOnly`, where an output or a recorded tensor was not compared.
  static func run(model: String, recorded: String, _ options: Options) throws {
    let network = try InFile.naming(model) { try ONNXModel(keepingAllOf: model) }
    if let defect = network.defect { throw InFile(file: model, error: defect) }
    let tensors = try RecordedTensors(path: recorded)
    var (text, documents, failures) = ("", [JSONValue](), [String]())
    func compared(_ mode: RecordedComparison.Mode) throws -> RecordedComparison {
      try InFile.naming(model) {
        try RecordedComparison(
          network, mode: mode, names: tensors.names, tolerance: options.tolerance, read: tensors.tensor)
      }
    }
    var alone: RecordedComparison?
    for mode in options.modes.compactMap(RecordedComparison.Mode.init(rawValue:)) {
      var found = try mode == .isolated ? alone ?? compared(mode) : compared(mode)
      if mode == .cumulative, found.firstDivergence != nil {
        let isolated = try compared(.isolated)
        try InFile.naming(model) {
          try found.judge(network, isolated: isolated, names: tensors.names, read: tensors.tensor)
        }
        alone = isolated
      }
      var table = TextTable(
        ["\(mode.rawValue)", "node", "value", "largest", "of", "sensitivity", ""], rightAligned: [3, 4, 5])
      for layer in found.layers where !options.failed || layer.verdict != .equal {
        table.add([
          layer.type, layer.node, layer.name, "\(Float(layer.difference))", "\(Float(layer.scale))",
          layer.sensitivity == 0 ? "" : "\(Float(layer.sensitivity))", layer.verdict.name,
        ])
      }
      let beyond = found.layers.count { $0.verdict != .equal }
      let sensitive = found.layers.count { $0.verdict == .sensitive }
      text +=
        table.text + "\(counted(found.layers.count, "value")) compared, \(beyond) beyond their tolerance\n"
        + ONNXLayerVerification.sensitive(sensitive)
      if let first = found.firstDivergence {
        failures.append(
          "\(mode.rawValue): node \"\(first.node)\" (\(first.type)) is the first to diverge: \"\(first.name)\" is "
            + (first.message ?? ""))
      }
      documents.append([
        "mode": .string(mode.rawValue), "layers": .array(found.layers.map(document)),
        "notCompared": .array(found.leftOut.map(JSONValue.string)),
        "outputsNotRecorded": .array(found.missingOutputs.map(JSONValue.string)),
      ])
      guard mode.rawValue == options.modes[0] else { continue }
      for name in found.leftOut {
        failures.append(
          options.layersOnly, "nothing was compared with the reference's tensor \"\(name)\"")
      }
      for name in found.missingOutputs {
        failures.append(options.layersOnly, "the output \"\(name)\" is not in the reference")
      }
    }
    let document: JSONValue = [
      "schema": "ardf.verify.onnx.layers/1", "passed": .bool(failures.isEmpty), "modes": .array(documents),
    ]
    try options.json ? Console.print(document) : Console.print(text)
    guard failures.isEmpty else { throw CommandError.checksFailed(failures) }
  }

  /// How a model is compared with recorded tensors.
  struct Options {
    /// The values by their names.
    var modes: [String]
    var tolerance: (String) -> (absolute: Double, relative: Double)?
    var layersOnly: Bool
    var failed: Bool
    var json: Bool
  }

  private static func document(_ layer: RecordedComparison.Layer) -> JSONValue {
    [
      "name": .string(layer.name), "node": .string(layer.node), "operator": .string(layer.type),
      "output": .bool(layer.isOutput), "equal": .bool(layer.verdict != .differs),
      "max_abs": number(layer.difference), "scale": number(layer.scale),
      "sensitivity": number(layer.sensitivity), "verdict": .string(layer.verdict.name),
    ]
  }

  private static func number(_ value: Double) -> JSONValue { value.isFinite ? .number(value) : .null }

  /// Many folders with a `model.onnx` each: a line of name, exit code and message for each.
  ///
  /// - Throws: `CommandError.missing` where all that failed are missing, else `.checkFailed` where any failed.
  static func run(folders: [String]) throws {
    var (failed, missing) = (0, 0)
    for folder in folders {
      let check = CaseCheck(folder: folder)
      if check.state != .equal { failed += 1 }
      if check.state == .missing { missing += 1 }
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      try Console.print(
        [name, "\(check.state.rawValue)", check.message].map(printableLine).joined(separator: "\t"))
    }
    guard failed > missing || missing == 0 else {
      throw CommandError.missing(
        "\(missing) of \(counted(folders.count, "case")) missing: give folders with model.onnx and test_data_set_0"
      )
    }
    guard failed == 0 else {
      throw CommandError.checkFailed("\(failed) of \(counted(folders.count, "case")) failed")
    }
  }
}

extension [String] {
  /// Records a failure; of what is allowed, only prints the line.
  fileprivate mutating func append(_ isAllowed: Bool, _ text: String) {
    if isAllowed { Console.note(text) } else { append(text) }
  }
}
