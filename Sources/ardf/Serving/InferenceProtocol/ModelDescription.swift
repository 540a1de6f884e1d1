import FileFormats

/// An input or output of a model.
package struct TensorDescription: Sendable, Equatable {
  /// The name, unique among inputs or outputs.
  package let name: String
  /// The type of its elements.
  package let datatype: Datatype
  /// The sizes of its dimensions; -1 for one that differs from request to request.
  package let shape: [Int]
  /// Whether a request may leave it out.
  package let isOptional: Bool
  /// Whether its elements may be infinite or NaN, as a sensor's are without a reading.
  package let takesNonFinite: Bool

  /// A description from its parts.
  package init(
    _ name: String, _ datatype: Datatype, _ shape: [Int], isOptional: Bool = false,
    takesNonFinite: Bool = false
  ) {
    (self.name, self.datatype, self.shape) = (name, datatype, shape)
    (self.isOptional, self.takesNonFinite) = (isOptional, takesNonFinite)
  }

  /// Whether a tensor may have the shape.
  package func takes(_ other: [Int]) -> Bool {
    other.count == shape.count && zip(shape, other).allSatisfy { $0 == -1 || $0 == $1 }
  }
}

/// A model's description for clients.
package struct ModelDescription: Sendable, Equatable {
  /// The one version that every model has.
  package static let version = "1"

  /// The name in addresses.
  package let name: String
  /// The platform, by the protocol's convention `FRAMEWORK_FORMAT`.
  package let platform: String
  package let inputs: [TensorDescription]
  package let outputs: [TensorDescription]
  /// Further facts, as texts, which a model configuration carries.
  package let parameters: [String: String]

  /// A description from its parts.
  package init(
    name: String, platform: String, inputs: [TensorDescription], outputs: [TensorDescription],
    parameters: [String: String] = [:]
  ) {
    (self.name, self.platform, self.inputs) = (name, platform, inputs)
    (self.outputs, self.parameters) = (outputs, parameters)
  }

  /// The answer to `GET v2/models/NAME`.
  package var metadata: JSONValue {
    [
      "name": .string(name), "versions": [.string(Self.version)], "platform": .string(platform),
      "inputs": .array(inputs.map(Self.metadata)), "outputs": .array(outputs.map(Self.metadata)),
    ]
  }

  private static func metadata(_ tensor: TensorDescription) -> JSONValue {
    [
      "name": .string(tensor.name), "datatype": .string(tensor.datatype.rawValue),
      "shape": .array(tensor.shape.map(JSONValue.integer)),
    ]
  }

  /// The answer to `GET v2/models/NAME/config`, Triton's model configuration: batches are a dimension like others.
  package var configuration: JSONValue {
    [
      "name": .string(name), "platform": .string(platform), "backend": "ardf", "max_batch_size": 0,
      "input": .array(inputs.map(Self.configuration)), "output": .array(outputs.map(Self.configuration)),
      "parameters": .object(parameters.mapValues { ["string_value": .string($0)] }),
    ]
  }

  private static func configuration(_ tensor: TensorDescription) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(tensor.name), "data_type": .string(tensor.datatype.configurationName),
      "dims": .array(tensor.shape.map(JSONValue.integer)),
    ]
    if tensor.isOptional { members["optional"] = true }
    return .object(members)
  }
}
