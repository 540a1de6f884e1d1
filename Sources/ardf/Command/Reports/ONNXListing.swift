import FileFormats
import ONNX

/// The description of an ONNX file that `ardf inspect` shows.
struct ONNXListing {
  private let summary: ModelSummary
  private let file: String
  private var message: ModelMessage { summary.message }

  init(file: String) throws {
    summary = try InFile.naming(file) { try ModelSummary(path: file) }
    self.file = file
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
      operators.add([use.type, "\(use.count)", use.defect.map { "not supported: \($0)" } ?? "yes"])
    }
    return table.text + "\n" + operators.text
  }

  /// The same as JSON.
  var document: JSONValue {
    func values(_ list: [ValueMessage]) -> JSONValue {
      .array(list.map { ["name": .string($0.name), "type": .string(Self.text($0.type))] })
    }
    let operators = summary.operators.map { use -> JSONValue in
      [
        "operator": .string(use.type), "nodes": .integer(use.count),
        "runs": .string(use.defect == nil ? "yes" : "not supported"),
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
