import FileFormats
import ONNX

/// `ardf verify` of ONNX files: what a model makes beside what its test data expects.
enum ONNXVerification {
  /// One model and the folder of its test data.
  ///
  /// Ends with a failed check where an output differs.
  static func run(model: String, reference: String, json: Bool) throws {
    let network = try InFile.naming(model) { try ONNXModel(path: model) }
    if let defect = network.defect { throw InFile(file: model, error: defect) }
    let (cases, tolerances) = (CaseFolder(path: reference), try CaseTolerances(folder: reference))
    var table = TextTable(["data", "output", "largest", "of tolerance", ""], rightAligned: [2, 3])
    var (documents, failures) = ([JSONValue](), [String]())
    for name in try cases.dataSets() {
      let set = try cases.dataSet(name, of: network)
      let found = try InFile.naming(model) { try CaseCheck.differences(network, set, tolerances) }
      for (output, difference) in found {
        table.add([
          name, output, "\(Float(difference.greatest))", "\(Float(difference.excess))",
          difference.isEqual ? "equal" : "differs",
        ])
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

  private static func number(_ value: Double) -> JSONValue { value.isFinite ? .number(value) : .null }

  /// Many folders with a `model.onnx` each: a line of name, exit code and message for each.
  static func run(folders: [String]) throws {
    var failed = 0
    for folder in folders {
      let check = CaseCheck(folder: folder)
      if check.state != .equal { failed += 1 }
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      try Console.print(
        [name, "\(check.state.rawValue)", check.message].map(printableLine).joined(separator: "\t"))
    }
    guard failed == 0 else {
      throw CommandError.checkFailed("\(failed) of \(folders.count) cases do not pass")
    }
  }
}
