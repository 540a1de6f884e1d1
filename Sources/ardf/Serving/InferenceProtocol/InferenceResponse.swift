import FileFormats

/// The answer to a request for inference.
package struct InferenceResponse: Sendable {
  /// The bytes, JSON first.
  package let body: [UInt8]
  /// Bytes of JSON, if tensors' bytes follow it.
  package let headerLength: Int?

  /// The parts of an answer, and its greatest length.
  package struct Plan: Sendable {
    fileprivate let wanted: [(tensor: ProtocolTensor, isBinary: Bool)]
    fileprivate let head: [String: JSONValue]
    /// Most bytes of the answer.
    package let mostBytes: Int

    /// Requested outputs of a model.
    package init(_ outputs: [ProtocolTensor], of model: ModelDescription, to request: InferenceRequest) {
      if let asked = request.outputs {
        wanted = asked.compactMap { output in
          outputs.first { $0.name == output.name }.map { ($0, output.isBinary ?? request.prefersBinary) }
        }
      } else {
        wanted = outputs.map { ($0, request.prefersBinary) }
      }
      var head: [String: JSONValue] = [
        "model_name": .string(model.name), "model_version": .string(ModelDescription.version),
      ]
      if let id = request.id { head["id"] = .string(id) }
      self.head = head
      // Names and shapes are short: of the model's own, and of a request's name, which is bounded.
      mostBytes = wanted.reduce(16 << 10) {
        $0 + 512 + ($1.isBinary ? TensorBytes.count($1.tensor) : TensorJSON.mostBytes($1.tensor))
      }
    }
  }

  /// Writes the outputs that a request asks for.
  package init(_ outputs: [ProtocolTensor], of model: ModelDescription, to request: InferenceRequest) {
    self.init(Plan(outputs, of: model, to: request))
  }

  /// Writes an answer.
  package init(_ plan: Plan) {
    let wanted = plan.wanted
    var body: [UInt8] = []
    body.reserveCapacity(plan.mostBytes)
    body += JSONValue.object(plan.head).serialized().utf8.dropLast()
    body += ",\"outputs\":[".utf8
    for (index, (tensor, isBinary)) in wanted.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      Self.append(tensor, isBinary: isBinary, to: &body)
    }
    body += "]}".utf8
    headerLength = wanted.contains(where: \.isBinary) ? body.count : nil
    for (tensor, isBinary) in wanted where isBinary { TensorBytes.append(tensor, to: &body) }
    self.body = body
  }

  private static func append(_ tensor: ProtocolTensor, isBinary: Bool, to text: inout [UInt8]) {
    var members: [String: JSONValue] = [
      "name": .string(tensor.name), "datatype": .string(tensor.datatype.rawValue),
      "shape": .array(tensor.shape.map(JSONValue.integer)),
    ]
    if isBinary { members["parameters"] = ["binary_data_size": .integer(TensorBytes.count(tensor))] }
    text += JSONValue.object(members).serialized().utf8.dropLast()
    if !isBinary {
      text += ",\"data\":".utf8
      TensorJSON.append(tensor, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }
}
