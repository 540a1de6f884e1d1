import FileFormats

/// A case's verdict, in the terms of the commands that check many.
package struct CaseCheck: Sendable {
  package enum State: Int32, Sendable {
    case equal = 0
    case different = 1
    case damaged = 65
    case missing = 66
    case unsupported = 69
  }

  package let state: State
  package let difference: ValueDifference
  package let message: String

  /// Runs the model of a case on each of its data sets and compares what comes out.
  ///
  /// `model`: its path; nil: `model.onnx` in the folder.
  package init(folder: String, model: String? = nil) {
    var total = ValueDifference()
    do {
      let model = try ONNXModel(path: model ?? folder + "/model.onnx")
      let (cases, tolerances) = (CaseFolder(path: folder), try CaseTolerances(folder: folder))
      for name in try cases.dataSets() {
        let set = try cases.dataSet(name, of: model)
        for (_, difference) in try Self.differences(model, set, tolerances) { total.add(difference) }
      }
      state = total.isEqual ? .equal : .different
      message = total.message ?? ""
    } catch {
      let error = error as? ONNXError ?? .malformed("\(error)")
      state = Self.state(of: error)
      message = "\(error)"
    }
    difference = total
  }

  private static func state(of error: ONNXError) -> State {
    if case .file(.missing) = error { return .missing }
    if case .missingWeights = error { return .missing }
    return error.isUnsupported ? .unsupported : .damaged
  }

  /// Runs a model on one data set and compares each output that is expected.
  package static func differences(
    _ model: ONNXModel, _ set: CaseFolder.DataSet, _ tolerances: CaseTolerances
  ) throws -> [(output: String, difference: ValueDifference)] {
    guard !set.outputs.isEmpty else { throw ONNXError.input("\(set.name): no output is expected") }
    let made = try model.run(set.inputs)
    var answers = NameTable(zip(model.outputs.map(\.name), made).map { ($0, $1) })
    RowOrder.align(&answers, with: set.outputs, tolerances)
    return set.outputs.compactMap { output, expected in
      answers[output].map { (output, ValueDifference($0, expected, tolerances[output], name: output)) }
    }
  }
}
