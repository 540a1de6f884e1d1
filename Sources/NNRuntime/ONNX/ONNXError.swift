public import FileFormats

/// Why a model cannot be read or run.
public indirect enum ONNXError: Error, Equatable, CustomStringConvertible {
  /// The file, or one that holds its weights, cannot be opened.
  case file(FileError)
  /// A file beside the model, in which it keeps weights, is missing.
  case missingWeights(path: String)
  /// The bytes are no ONNX model, or its graph cannot be one: damaged, cut short or inconsistent.
  case malformed(String)
  /// An operator, a version, an attribute, a mode or an element type that is not implemented.
  case unsupported(String)
  /// An input that does not match the model.
  case input(String)
  /// A failure at a node of the graph.
  case node(name: String, type: String, ONNXError)

  /// The failure, without the node.
  public var innermost: ONNXError {
    if case .node(_, _, let error) = self { return error.innermost }
    return self
  }

  /// Whether the file is sound, but needs what is not implemented.
  public var isUnsupported: Bool {
    if case .unsupported = innermost { return true }
    return false
  }

  /// One line that names the defect.
  public var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .missingWeights(let path):
      "keeps its weights in \(printableName(path)), which is missing; copy that file beside the model, under the same name"
    case .malformed(let text), .unsupported(let text), .input(let text): printableMessage(text)
    case .node(let name, let type, let error):
      "node \"\(printableName(name))\" (\(printableName(type))): \(error)"
    }
  }
}

extension ONNXError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch innermost {
    case .file(let file): file.fault
    case .missingWeights: .missingInput
    case .unsupported: .unavailable
    case .malformed, .input, .node: .malformedInput
    }
  }
}
