import FileFormats
import ONNX
import ONNXEngine

/// The description of an ONNX file that `ardf inspect` shows.
struct ONNXListing {
  private let summary: ModelSummary
  private let file: String
  /// Why the model cannot be run; nil where it can.
  private let obstacle: ONNXError?
  private var message: ModelMessage { summary.message }

  init(file: String) throws {
    summary = try InFile.naming(file) { try ModelSummary(path: file) }
    self.file = file
    obstacle = Self.obstacle(file)
  }

  private static func obstacle(_ file: String) -> ONNXError? {
    do {
      return try ONNXModel(path: file).defect
    } catch {
      return error as? ONNXError ?? .malformed("\(error)")
    }
  }

  /// A table for people.
  var text: String {
    var table = TextTable(["model", message.graph?.name ?? ""])
    table.add([
      "producer", [message.producer, message.producerVersion].filter { !$0.isEmpty }.joined(separator: " "),
    ])
    table.add(["format", "IR \(message.irVersion)"])
    for opset in message.opsets {
      table.add(["operators", "\(opset.domain.isEmpty ? "ai.onnx" : opset.domain) \(opset.version)"])
    }
    for input in inputs { table.add(["input", "\(input.name): \(Self.text(input.type))"]) }
    for output in message.graph?.outputs ?? [] {
      table.add(["output", "\(output.name): \(Self.text(output.type))"])
    }
    table.add(["parameters", "\(summary.parameters), \(counted(summary.parameterBytes, "byte"))"])
    for entry in message.metadata { table.add(["metadata", "\(entry.key): \(entry.value)"]) }
    var operators = TextTable(["operator", "nodes", "runs"], rightAligned: [1])
    for use in summary.operators {
      operators.add([use.type, "\(use.count)", use.runs + (use.defect.map { ": \($0)" } ?? "")])
    }
    let end = obstacle.map { "\ncannot be run: \($0); \($0.remedy)\n" } ?? ""
    return table.text + "\n" + operators.text + end
  }

  /// The same as JSON.
  var document: JSONValue {
    func values(_ list: [ValueMessage]) -> JSONValue {
      .array(list.map { ["name": .string($0.name), "type": .string(Self.text($0.type))] })
    }
    let operators = summary.operators.map { use -> JSONValue in
      [
        "operator": .string(use.type), "nodes": .integer(use.count),
        "runs": .string(use.runs),
        "defect": use.defect.map { .string("\($0)") } ?? .null,
      ]
    }
    let opsets = message.opsets.map { opset -> JSONValue in
      [
        "domain": .string(opset.domain.isEmpty ? "ai.onnx" : opset.domain),
        "version": .integer(Int(opset.version)),
      ]
    }
    let metadata = message.metadata.map { entry -> JSONValue in
      ["key": .string(entry.key), "value": .string(entry.value)]
    }
    return [
      "schema": "ardf.onnx/1", "file": .string(file), "graph": .string(message.graph?.name ?? ""),
      "producer": .string(message.producer), "producerVersion": .string(message.producerVersion),
      "irVersion": .integer(message.irVersion), "opsets": .array(opsets), "inputs": values(inputs),
      "outputs": values(message.graph?.outputs ?? []), "metadata": .array(metadata),
      "parameters": .integer(summary.parameters), "parameterBytes": .integer(summary.parameterBytes),
      "operators": .array(operators),
      "supported": .bool(summary.operators.allSatisfy { $0.defect == nil }),
      "obstacle": obstacle.map { .string("\($0); \($0.remedy)") } ?? .null,
    ]
  }

  /// The inputs without the initializers, which old files list as inputs, too.
  private var inputs: [ValueMessage] {
    let given = NameSet(message.graph?.initializers.map(\.name) ?? [])
    return (message.graph?.inputs ?? []).filter { !given.contains($0.name) }
  }

  private static func text(_ type: TypeMessage?) -> String {
    switch type {
    case .tensor(let number, let axes):
      (ElementType(rawValue: number)?.name ?? "of an unknown type")
        + (axes.map { " " + AxisMessage.text($0) } ?? "")
    case .sparse(let number): "sparse " + (ElementType(rawValue: number)?.name ?? "of an unknown type")
    case .sequence(let element): "sequence of \(text(element))"
    case .optional(let element): "optional \(text(element))"
    case .map: "map"
    case .unknown, nil: "of an unknown type"
    }
  }
}

extension ModelSummary.OperatorUse {
  /// The engine plans it, its definition computes it, or nothing does.
  fileprivate var runs: String {
    guard defect == nil else { return "not supported" }
    return FastOperators.contains(type) ? "fast" : "plain"
  }
}

extension ONNXError {
  /// The remedy of a model that cannot be run.
  fileprivate var remedy: String {
    switch innermost {
    case .unsupported:
      "export it for another operator set, or with other operators in its place: ardf inspect operators lists those that run"
    case .file, .missingWeights:
      "its weights lie in files of their own: bring them along, into the model's folder"
    case .malformed, .input, .node: "export it again, with the files of its weights in its own folder"
    }
  }
}
