import FileFormats

/// The faults of a request, in itself or for its model.
package enum ProtocolError: Error, Equatable, CustomStringConvertible {
  /// `Inference-Header-Content-Length` is not a number from 0 to the body's length.
  case headerLength(String)
  case json(JSONError)
  /// A member that is missing or of another kind.
  case member(String, expected: String)
  case unknownDatatype(String, tensor: String)
  /// A number of a shape that is negative, or elements beyond the limit.
  case shape(tensor: String)
  case tooManyElements(tensor: String, limit: Int)
  case tooManyTensors(limit: Int)
  /// Two tensors of one name.
  case repeated(tensor: String)
  /// Elements both in the JSON and after it, or in neither.
  case noElements(tensor: String)
  /// The bytes after the JSON are not as many as its tensors ask for.
  case binaryLength(found: Int, expected: Int)
  /// A tensor has more or fewer elements, or bytes, than its shape says.
  case elementCount(tensor: String, found: Int, expected: Int)
  /// An element that its datatype cannot have, or its input.
  case element(tensor: String, index: Int, datatype: Datatype)
  /// A text that is not base64 where the request says that it is.
  case base64(tensor: String, index: Int)
  /// An element of bytes that ends beyond the tensor.
  case malformedBytes(tensor: String)
  case sharedMemory(tensor: String)
  case classification(output: String)
  case unknownInput(String, known: [String])
  case missingInput(String)
  case unknownOutput(String, known: [String])
  case wrongDatatype(input: String, found: Datatype, expected: Datatype)
  /// A shape that the model does not take.
  case wrongShape(input: String, found: [Int], expected: [Int])
  /// A body of elements only, for a model that needs more than one input or shape.
  case bareBody
  case parameter(String, expected: String)

  /// One line that names the defect and what to do.
  package var description: String {
    switch self {
    case .headerLength(let text):
      "Inference-Header-Content-Length is \(printableName(text)), which is not a count of bytes within the body; give the length of the JSON"
    case .json(let error):
      "the request is not JSON of the protocol (\(error)); send an object with \"inputs\""
    case .member(let name, let expected): "\"\(name)\" must be \(expected)"
    case .unknownDatatype(let name, let tensor):
      "tensor \(Self.name(tensor)): unknown datatype \(printableName(name)); use one of "
        + Datatype.allCases.map(\.rawValue).joined(separator: ", ")
    case .shape(let tensor): "tensor \(Self.name(tensor)): its shape must be a list of numbers from 0 on"
    case .tooManyElements(let tensor, let limit):
      "tensor \(Self.name(tensor)): its shape has more than \(limit) elements; send fewer"
    case .tooManyTensors(let limit): "a request has at most \(limit) inputs and outputs; send fewer"
    case .repeated(let tensor): "tensor \(Self.name(tensor)) is there twice; send it once"
    case .noElements(let tensor):
      "tensor \(Self.name(tensor)): give its elements as \"data\" or as \"binary_data_size\" bytes after the JSON, "
        + "one of the two"
    case .binaryLength(let found, let expected):
      "\(counted(found, "byte follows", "bytes follow")) the JSON where its tensors ask for \(expected)"
    case .elementCount(let tensor, let found, let expected):
      "tensor \(Self.name(tensor)): \(found) where its shape and datatype ask for \(expected)"
    case .element(let tensor, let index, let datatype):
      "tensor \(Self.name(tensor)): element \(index) is not of type \(datatype.rawValue): give \(datatype.elementText)"
    case .base64(let tensor, let index):
      "tensor \(Self.name(tensor)): element \(index) is not base64: give the letters of RFC 4648 alone (A-Z, a-z, 0-9, + and /, "
        + "padded with =), without line breaks and without data:...;base64, before them"
    case .malformedBytes(let tensor):
      "tensor \(Self.name(tensor)): its bytes are not elements of a length each; send the length of each before it"
    case .sharedMemory(let tensor):
      "tensor \(Self.name(tensor)): there is no shared memory here; send the elements"
    case .classification(let output):
      "output \(Self.name(output)): there is no classification extension here; ask for the elements"
    case .unknownInput(let name, let known):
      "the model has no input \(Self.name(name)); name one of \(known.joined(separator: ", "))"
    case .missingInput(let name): "the model needs the input \(name)"
    case .unknownOutput(let name, let known):
      "the model has no output \(Self.name(name)); name one of \(known.joined(separator: ", "))"
    case .wrongDatatype(let input, let found, let expected):
      "input \(input) is \(found.rawValue) where the model takes \(expected.rawValue)"
    case .wrongShape(let input, let found, let expected):
      "input \(input) has the shape \(found) where the model takes \(expected)"
    case .bareBody:
      "a body without JSON is only for a model with one input that needs no shape; send the protocol's JSON before it"
    case .parameter(let name, let expected): "the parameter \"\(printableName(name))\" must be \(expected)"
    }
  }

  private static func name(_ text: String) -> String { printableName(text) }
}

extension ProtocolError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
