import FileFormats

/// Values as ONNX's test data has them: one message to a file, of the type that the graph declares.
extension Value {
  /// Reads `TensorProto`, `SequenceProto` or `OptionalProto`.
  package static func read(_ bytes: FileBytes, type: TypeMessage?) throws -> Value {
    try read(WireReader(bytes), type)
  }

  private static func read(_ reader: WireReader, _ type: TypeMessage?) throws -> Value {
    switch type {
    case .sequence(let element): return try sequence(reader, element)
    case .optional(let element): return try optional(reader, element)
    case .sparse: return .tensor(try SparseTensorMessage(reader).tensor(nil))
    case .map: throw ONNXError.unsupported("a map as an input or output")
    case .tensor, .unknown, nil: return .tensor(try TensorMessage(reader).tensor(nil))
    }
  }

  private static func sequence(_ reader: WireReader, _ element: TypeMessage) throws -> Value {
    var values: [Value] = []
    try reader.forEach { field in
      switch field.number {
      case 3...7: values.append(try read(WireReader(field), element))
      default: break
      }
    }
    return .sequence(values)
  }

  private static func optional(_ reader: WireReader, _ element: TypeMessage) throws -> Value {
    var value: Value?
    try reader.forEach { field in
      switch field.number {
      case 3...7: value = try read(WireReader(field), element)
      default: break
      }
    }
    return .optional(value)
  }
}
