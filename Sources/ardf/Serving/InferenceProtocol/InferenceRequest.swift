import FileFormats

/// Limits on a request besides its body's length.
package struct ProtocolLimits: Sendable {
  /// Most elements of one tensor.
  package var elements = 1 << 26
  /// Most inputs, and most requested outputs.
  package var tensors = 64
  /// Most values in the JSON: a picture of 1 x 3 x 1280 x 1280 as numbers.
  package var jsonValues = 6_000_000
  /// Most bytes of a request's name.
  package var textBytes = 1000
  /// Most parameters of a request or tensor.
  static let parameters = 64

  /// The limits.
  package init() {}
}

/// A request for inference, read and checked against itself; `tensors(for:)` checks it against a model.
package struct InferenceRequest: Sendable {
  /// Where an input's elements are.
  enum Source {
    case json([JSONValue], isBase64: Bool)
    case binary(Range<Int>)
  }

  struct Input {
    let name: String
    let datatype: Datatype
    let shape: [Int]
    let source: Source
  }

  /// An output that is asked for.
  package struct Output: Sendable, Equatable {
    package let name: String
    /// Whether its elements are sent as bytes; nil if the request does not say.
    package let isBinary: Bool?
  }

  /// The client's id of the request; nil for none.
  package let id: String?
  /// Further parameters.
  package private(set) var parameters: NameTable<JSONValue>
  /// The outputs asked for; nil for all.
  package let outputs: [Output]?
  /// Whether outputs are sent as bytes by default.
  package let prefersBinary: Bool
  private(set) var inputs: [Input]
  private(set) var body: [UInt8]
  let limits: ProtocolLimits
  /// Whether the body is an input's elements and nothing else.
  let isBare: Bool

  /// Reads a request's body.
  ///
  /// - `headerLength`: the value of `Inference-Header-Content-Length`, the bytes of JSON before the tensors' bytes; nil
  ///   for JSON alone. 0 for a body of an input's elements and nothing else.
  package init(
    _ body: [UInt8], headerLength: String?, limits: ProtocolLimits = ProtocolLimits()
  ) throws(ProtocolError) {
    var jsonBytes = body.count
    if let headerLength {
      guard headerLength.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let length = CheckedInt(headerLength)?.within(0...body.count)
      else { throw .headerLength(headerLength) }
      jsonBytes = length
    }
    self.body = body
    self.limits = limits
    isBare = headerLength != nil && jsonBytes == 0
    guard !isBare else {
      // The elements come back as they were sent: bytes.
      (id, parameters, outputs, inputs, prefersBinary) = (nil, [:], nil, [], true)
      return
    }
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue.parse(
        jsonBytes == body.count ? body : Array(body[..<jsonBytes]),
        limits: JSONLimits(bytes: jsonBytes, depth: 32, values: limits.jsonValues))
    } catch {
      throw .json(error)
    }
    guard json.object != nil else { throw .member("the request", expected: "an object") }
    id = try Self.text(json, "id")
    guard id?.utf8.count ?? 0 <= limits.textBytes else {
      throw .member("id", expected: "a text of at most \(limits.textBytes) bytes")
    }
    parameters = try Self.parameters(of: json)
    prefersBinary = try Self.flag(parameters, "binary_data_output") ?? false
    outputs = try Self.outputs(of: json, limits: limits)
    inputs = try Self.inputs(of: json, after: jsonBytes, bodyBytes: body.count, limits: limits)
  }

  /// A request of another protocol, or a plain picture: the elements of the model's only required input, and
  /// parameters.
  ///
  /// - `prefersBinary`: whether outputs are sent as bytes.
  package init(
    elements: [UInt8], parameters: NameTable<JSONValue> = [:], prefersBinary: Bool = true,
    limits: ProtocolLimits = ProtocolLimits()
  ) {
    (body, self.parameters, self.prefersBinary, self.limits) = (elements, parameters, prefersBinary, limits)
    (id, outputs, inputs, isBare) = (nil, nil, [], true)
  }

  // MARK: - Parts

  private static func text(_ json: JSONValue, _ key: String) throws(ProtocolError) -> String? {
    guard let member = json[key] else { return nil }
    guard let text = member.string else { throw .member(key, expected: "a text") }
    return text
  }

  private static func parameters(of json: JSONValue) throws(ProtocolError) -> NameTable<JSONValue> {
    guard let member = json["parameters"] else { return [:] }
    guard let parameters = member.object, parameters.count <= ProtocolLimits.parameters else {
      throw .member("parameters", expected: "an object of at most \(ProtocolLimits.parameters) members")
    }
    return parameters
  }

  private static func flag(_ parameters: NameTable<JSONValue>, _ name: String) throws(ProtocolError) -> Bool?
  {
    guard let parameter = parameters[name] else { return nil }
    guard let flag = parameter.bool else { throw .parameter(name, expected: "true or false") }
    return flag
  }

  private static func refuseSharedMemory(
    _ parameters: NameTable<JSONValue>, tensor: String
  ) throws(ProtocolError) {
    if parameters.keys.contains(where: { $0.hasPrefix("shared_memory") }) {
      throw .sharedMemory(tensor: tensor)
    }
  }

  private static func list(
    _ json: JSONValue, _ key: String, limits: ProtocolLimits
  ) throws(ProtocolError) -> [JSONValue]? {
    guard let member = json[key] else { return nil }
    guard let list = member.array else { throw .member(key, expected: "a list") }
    guard list.count <= limits.tensors else { throw .tooManyTensors(limit: limits.tensors) }
    return list
  }

  private static func outputs(of json: JSONValue, limits: ProtocolLimits) throws(ProtocolError) -> [Output]? {
    guard let list = try list(json, "outputs", limits: limits), !list.isEmpty else { return nil }
    var outputs: [Output] = []
    for entry in list {
      guard let name = entry["name"]?.string else {
        throw .member("outputs", expected: "a list of objects with names")
      }
      guard !outputs.contains(where: { $0.name == name }) else { throw .repeated(tensor: name) }
      let parameters = try parameters(of: entry)
      try refuseSharedMemory(parameters, tensor: name)
      if let classes = parameters["classification"], classes.wholeNumber != 0 {
        throw .classification(output: name)
      }
      outputs.append(Output(name: name, isBinary: try flag(parameters, "binary_data")))
    }
    return outputs
  }

  private static func inputs(
    of json: JSONValue, after jsonBytes: Int, bodyBytes: Int, limits: ProtocolLimits
  ) throws(ProtocolError) -> [Input] {
    guard let list = try list(json, "inputs", limits: limits) else {
      throw .member("inputs", expected: "a list")
    }
    var inputs: [Input] = []
    var end = jsonBytes
    for entry in list {
      guard let name = entry["name"]?.string else {
        throw .member("inputs", expected: "a list of objects with names")
      }
      guard !inputs.contains(where: { $0.name == name }) else { throw .repeated(tensor: name) }
      guard let typeName = entry["datatype"]?.string else {
        throw .member("datatype", expected: "a datatype's name")
      }
      guard let datatype = Datatype(rawValue: typeName) else {
        throw .unknownDatatype(typeName, tensor: name)
      }
      let shape = try shape(of: entry, tensor: name, limits: limits)
      let parameters = try parameters(of: entry)
      try refuseSharedMemory(parameters, tensor: name)
      let source: Source
      switch (entry["data"], parameters["binary_data_size"]) {
      case (let data?, nil):
        guard let elements = data.array else { throw .member("data", expected: "a list") }
        source = .json(elements, isBase64: parameters["content_type"]?.string == "base64")
      case (nil, let size?):
        guard let size = size.wholeNumber, size >= 0 else {
          throw .parameter("binary_data_size", expected: "a number of bytes")
        }
        guard let bytes = size.within(0...bodyBytes - end) else {
          // What is asked for so far lies in the body; with this size it may be more than any number.
          let expected = CheckedInt(end - jsonBytes).addingSaturated(size)
          throw .binaryLength(found: bodyBytes - jsonBytes, expected: expected.clamped(to: 0...Int.max))
        }
        source = .binary(end..<end + bytes)
        end += bytes
      default: throw .noElements(tensor: name)
      }
      inputs.append(Input(name: name, datatype: datatype, shape: shape, source: source))
    }
    guard end == bodyBytes else {
      throw .binaryLength(found: bodyBytes - jsonBytes, expected: end - jsonBytes)
    }
    return inputs
  }

  private static func shape(
    of entry: JSONValue, tensor: String, limits: ProtocolLimits
  ) throws(ProtocolError) -> [Int] {
    guard let list = entry["shape"]?.array, list.count <= 16 else { throw .shape(tensor: tensor) }
    var shape: [Int] = []
    var count: CheckedInt = 1
    for size in list {
      guard let size = size.wholeNumber, size >= 0 else { throw .shape(tensor: tensor) }
      // Also of what a 0 makes nothing of: a later size must not overflow.
      guard let product = count.multiplied(by: size), product <= CheckedInt(limits.elements),
        let side = size.within(0...limits.elements)
      else {
        throw .tooManyElements(tensor: tensor, limit: limits.elements)
      }
      count = product
      shape.append(side)
    }
    return shape
  }

  // MARK: - Tensors

  /// Checks the request against a model, except for the elements of its inputs.
  package func check(for model: ModelDescription) throws(ProtocolError) {
    guard !isBare else {
      _ = try bareInput(of: model)
      return
    }
    for input in inputs {
      guard let description = model.inputs.first(where: { $0.name == input.name }) else {
        throw .unknownInput(input.name, known: model.inputs.map(\.name))
      }
      guard input.datatype == description.datatype else {
        throw .wrongDatatype(input: input.name, found: input.datatype, expected: description.datatype)
      }
      guard description.takes(input.shape) else {
        throw .wrongShape(input: input.name, found: input.shape, expected: description.shape)
      }
    }
    for description in model.inputs where !description.isOptional {
      guard inputs.contains(where: { $0.name == description.name }) else {
        throw .missingInput(description.name)
      }
    }
    for output in outputs ?? [] where !model.outputs.contains(where: { $0.name == output.name }) {
      throw .unknownOutput(output.name, known: model.outputs.map(\.name))
    }
  }

  /// The inputs as a model takes them, by name.
  package func tensors(for model: ModelDescription) throws(ProtocolError) -> NameTable<ProtocolTensor> {
    try check(for: model)
    guard !isBare else {
      let tensor = try bareTensor(of: bareInput(of: model))
      try tensor.checkFinite(for: model)
      return NameTable([(tensor.name, tensor)])
    }
    var tensors: NameTable<ProtocolTensor> = [:]
    for input in inputs {
      let tensor = try tensor(input)
      try tensor.checkFinite(for: model)
      tensors[input.name] = tensor
    }
    return tensors
  }

  /// The request without its inputs, once they are tensors, since JSON values take many times the memory of their text.
  package var withoutInputs: InferenceRequest {
    var request = self
    (request.inputs, request.body) = ([], [])
    request.parameters = parameters.mapValues { $0.isShort ? $0 : .null }
    return request
  }

  private func tensor(_ input: Input) throws(ProtocolError) -> ProtocolTensor {
    let count = input.shape.reduce(1, *)
    let elements: ProtocolTensor.Elements
    switch input.source {
    case .json(let data, let isBase64):
      elements = try TensorJSON.elements(
        data, datatype: input.datatype, count: count, tensor: input.name, isBase64: isBase64)
    case .binary(let range):
      if let size = input.datatype.size, range.count != count * size {
        throw .elementCount(tensor: input.name, found: range.count, expected: count * size)
      }
      elements = try TensorBytes.elements(
        body[range], datatype: input.datatype, count: count, tensor: input.name)
    }
    return ProtocolTensor(checked: input.name, input.datatype, input.shape, elements)
  }

  /// The only input that a model needs.
  private func bareInput(of model: ModelDescription) throws(ProtocolError) -> TensorDescription {
    let needed = model.inputs.filter { !$0.isOptional }
    guard needed.count == 1,
      needed[0].datatype == .bytes ? needed[0].takes([1]) : !needed[0].shape.contains(-1)
    else { throw .bareBody }
    return needed[0]
  }

  /// The body as one `BYTES` element, or as all elements of a fixed shape.
  private func bareTensor(of input: TensorDescription) throws(ProtocolError) -> ProtocolTensor {
    guard let size = input.datatype.size else {
      return ProtocolTensor(checked: input.name, .bytes, [1], .texts([body]))
    }
    let count = input.shape.reduce(1, *)
    guard body.count == count * size else {
      throw .elementCount(tensor: input.name, found: body.count, expected: count * size)
    }
    let elements = try TensorBytes.elements(
      body[...], datatype: input.datatype, count: count, tensor: input.name)
    return ProtocolTensor(checked: input.name, input.datatype, input.shape, elements)
  }

  // MARK: - Parameters

  /// The microseconds that the client gives (`timeout`); nil where it waits.
  package func timeout() throws(ProtocolError) -> Duration? {
    guard let parameter = parameters["timeout"] else { return nil }
    guard let microseconds = parameter.integer(in: 0...1_000_000_000_000) else {
      throw .parameter("timeout", expected: "a number of microseconds")
    }
    return microseconds == 0 ? nil : .microseconds(microseconds)
  }

  /// A whole number among the parameters; nil where it is not given.
  package func integer(_ name: String, in range: ClosedRange<Int>) throws(ProtocolError) -> Int? {
    guard let parameter = parameters[name] else { return nil }
    guard let number = parameter.integer(in: range) else {
      throw .parameter(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number among the parameters; nil where it is not given.
  package func number(_ name: String, in range: ClosedRange<Double>) throws(ProtocolError) -> Double? {
    guard let parameter = parameters[name] else { return nil }
    guard let number = parameter.number, range.contains(number) else {
      throw .parameter(name, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension JSONValue {
  /// Whether a parameter's size is bounded: lists, objects and long texts are refused.
  fileprivate var isShort: Bool {
    switch self {
    case .null, .bool, .integer, .number: true
    case .string(let text): text.utf8.count <= 100
    case .array, .object: false
    }
  }
}
