import FileFormats

/// `ModelProto`: a graph with its versions and metadata.
package struct ModelMessage: Sendable {
  package var irVersion = 0
  package var producer = ""
  package var producerVersion = ""
  package var domain = ""
  package var modelVersion: Int64 = 0
  package var documentation = ""
  package var graph: GraphMessage?
  package var opsets: [OpsetMessage] = []
  package var metadata: [(key: String, value: String)] = []
  package var functions: [FunctionMessage] = []

  /// Reads the messages of a whole file; tensors keep pointing into `bytes`.
  package init(_ bytes: FileBytes) throws {
    try WireReader(bytes).forEach { field in
      switch field.number {
      case 1: irVersion = Int(try field.signed)
      case 2: producer = try field.text
      case 3: producerVersion = try field.text
      case 4: domain = try field.text
      case 5: modelVersion = try field.signed
      case 6: documentation = try field.text
      case 7: graph = try GraphMessage(WireReader(field))
      case 8: opsets.append(try OpsetMessage(WireReader(field)))
      case 14: metadata.append(try pair(WireReader(field)))
      case 25: functions.append(try FunctionMessage(WireReader(field)))
      default: break
      }
    }
    guard graph != nil else {
      throw ONNXError.malformed("not an ONNX model, or a damaged one: there is no graph")
    }
  }
}

/// `OperatorSetIdProto`: the version of a domain's operators.
package struct OpsetMessage: Sendable {
  package var domain = ""
  package var version: Int64 = 0

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: domain = canonicalDomain(try field.text)
      case 2: version = try field.signed
      default: break
      }
    }
  }
}

/// The empty name for ONNX's own domain.
func canonicalDomain(_ name: String) -> String { name == "ai.onnx" ? "" : name }

/// `StringStringEntryProto`.
func pair(_ reader: WireReader) throws -> (key: String, value: String) {
  var result = (key: "", value: "")
  try reader.forEach { field in
    switch field.number {
    case 1: result.key = try field.text
    case 2: result.value = try field.text
    default: break
    }
  }
  return result
}

/// `FunctionProto`: an operator defined by nodes.
package struct FunctionMessage: Sendable {
  package var name = ""
  package var domain = ""
  package var overload = ""
  package var inputs: [String] = []
  package var outputs: [String] = []
  package var attributes: [String] = []
  package var defaults: [AttributeMessage] = []
  package var nodes: [NodeMessage] = []
  package var opsets: [OpsetMessage] = []

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: name = try field.text
      case 4: inputs.append(try field.text)
      case 5: outputs.append(try field.text)
      case 6: attributes.append(try field.text)
      case 7: nodes.append(try NodeMessage(WireReader(field)))
      case 9: opsets.append(try OpsetMessage(WireReader(field)))
      case 10: domain = canonicalDomain(try field.text)
      case 11: defaults.append(try AttributeMessage(WireReader(field)))
      case 13: overload = try field.text
      default: break
      }
    }
  }
}
