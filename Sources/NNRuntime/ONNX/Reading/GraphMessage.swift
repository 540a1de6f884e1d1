import FileFormats

/// `GraphProto`: nodes in the order in which they can run.
package struct GraphMessage: Sendable {
  package var name = ""
  package var nodes: [NodeMessage] = []
  package var initializers: [TensorMessage] = []
  package var sparseInitializers: [SparseTensorMessage] = []
  package var inputs: [ValueMessage] = []
  package var outputs: [ValueMessage] = []

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: nodes.append(try NodeMessage(WireReader(field)))
      case 2: name = try field.text
      case 5: initializers.append(try TensorMessage(WireReader(field)))
      case 11: inputs.append(try ValueMessage(WireReader(field)))
      case 12: outputs.append(try ValueMessage(WireReader(field)))
      case 15: sparseInitializers.append(try SparseTensorMessage(WireReader(field)))
      default: break
      }
    }
  }
}

/// `NodeProto`: one operator and what it reads and makes; an empty name is a missing optional.
package struct NodeMessage: Sendable {
  package var inputs: [String] = []
  package var outputs: [String] = []
  package var name = ""
  package var type = ""
  package var domain = ""
  package var overload = ""
  package var attributes: [AttributeMessage] = []

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: inputs.append(try field.text)
      case 2: outputs.append(try field.text)
      case 3: name = try field.text
      case 4: type = try field.text
      case 5: attributes.append(try AttributeMessage(WireReader(field)))
      case 7: domain = canonicalDomain(try field.text)
      case 8: overload = try field.text
      default: break
      }
    }
  }

  /// The operator with its domain, where that is not ONNX's own.
  package var qualifiedType: String { domain.isEmpty ? type : "\(domain).\(type)" }
  /// The node's name, or, as many have none, what it makes.
  package var shownName: String { name.isEmpty ? outputs.first { !$0.isEmpty } ?? "" : name }
}

/// `AttributeProto`.
package struct AttributeMessage: Sendable {
  package var name = ""
  /// The attribute of the enclosing function that gives the value.
  package var reference = ""
  package var value: Value?

  package enum Value: Sendable {
    case float(Float)
    case int(Int64)
    case string([UInt8])
    case tensor(TensorMessage)
    case sparse(SparseTensorMessage)
    case graph(GraphMessage)
    case type(TypeMessage)
    case floats([Float])
    case ints([Int64])
    case strings([[UInt8]])
    case tensors([TensorMessage])
    case graphs([GraphMessage])
    case others
  }

  init(_ reader: WireReader) throws {
    var kind = 0
    var (float, int, string) = (Float(0), Int64(0), [UInt8]())
    var (tensor, graph, type): (TensorMessage?, GraphMessage?, TypeMessage?)
    var sparse: SparseTensorMessage?
    var (floats, ints, strings) = ([Float](), [Int64](), [[UInt8]]())
    var (tensors, graphs) = ([TensorMessage](), [GraphMessage]())
    // Files of the first versions have no type: the field that is there tells.
    var stated = 0
    try reader.forEach { field in
      switch field.number {
      case 1: name = try field.text
      case 2: (float, stated) = (try field.float, 1)
      case 3: (int, stated) = (try field.signed, 2)
      case 4: (string, stated) = (try field.bytes.array(), 3)
      case 5: (tensor, stated) = (try TensorMessage(WireReader(field)), 4)
      case 6: (graph, stated) = (try GraphMessage(WireReader(field)), 5)
      case 7:
        try field.appendFloats(to: &floats)
        stated = 6
      case 8:
        try field.appendIntegers(to: &ints)
        stated = 7
      case 9:
        strings.append(try field.bytes.array())
        stated = 8
      case 10:
        tensors.append(try TensorMessage(WireReader(field)))
        stated = 9
      case 11:
        graphs.append(try GraphMessage(WireReader(field)))
        stated = 10
      case 14: (type, stated) = (try TypeMessage(WireReader(field)), 13)
      case 20: kind = Int(try field.signed)
      case 21: reference = try field.text
      case 22: (sparse, stated) = (try SparseTensorMessage(WireReader(field)), 11)
      default: break
      }
    }
    if !reference.isEmpty { return }
    value =
      switch kind == 0 ? stated : kind {
      case 1: .float(float)
      case 2: .int(int)
      case 3: .string(string)
      case 4: tensor.map(Value.tensor)
      case 5: graph.map(Value.graph)
      case 6: .floats(floats)
      case 7: .ints(ints)
      case 8: .strings(strings)
      case 9: .tensors(tensors)
      case 10: .graphs(graphs)
      case 11: sparse.map(Value.sparse)
      case 13: type.map(Value.type)
      case 12, 14: .others
      default: nil
      }
    guard value != nil else {
      throw ONNXError.malformed("attribute \"\(name)\" has no value, or one of an unknown type")
    }
  }
}
