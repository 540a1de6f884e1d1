import FileFormats
import HTTPServing
import InferenceProtocol
import InferenceServing
import NNRuntime
import ONNX
import ONNXEngine

/// A network of an ONNX file by the names, types and shapes of its inputs and outputs.
struct ONNXFileModel: ServedModel {
  /// Elements of all inputs of a request to a model with free axes: those of a large picture.
  private static let mostElements = 3 * RawInput.mostPixels

  let description: ModelDescription
  /// One for each worker.
  private let models: [LoweredModel]
  private let types: NameTable<ONNX.ElementType>
  private let hasFreeAxes: Bool

  /// Reads the file, and runs a model without free axes once in every worker.
  ///
  /// - Throws: `ONNXError` where it cannot be run, `CommandError` where its tensors cannot be served.
  init(_ file: GivenPath, name: String, options: PlanOptions, pools: [ThreadPool]) throws {
    let model = try ONNXModel(path: file.path)
    if let defect = model.defect { throw defect }
    let inputs = try model.inputPorts.map { try Self.description(of: $0, file, isInput: true) }
    description = ModelDescription(
      name: name, platform: "onnx_model", inputs: inputs,
      outputs: try model.outputPorts.map { try Self.description(of: $0, file, isInput: false) },
      parameters: model.metadata)
    types = NameTable(model.inputPorts.compactMap { port in port.type.map { (port.name, $0) } })
    hasFreeAxes = inputs.contains { $0.shape.contains(-1) }
    let first = LoweredModel(model, options: options, pool: pools[0])
    models = [first] + pools.dropFirst().map(first.running)
    guard !hasFreeAxes else { return }
    let drawn = try model.drawnInputs(NameTable())
    for model in models { _ = try model.run(drawn) }
  }

  private static func description(
    of port: ONNXModel.Port, _ file: GivenPath, isInput: Bool
  ) throws -> TensorDescription {
    let place = "the \(isInput ? "input" : "output") \"\(printableName(port.name))\""
    guard let type = port.type, let datatype = Datatype(type) else {
      throw CommandError.input(
        "\(file): \(place) has elements of type \(port.type?.name ?? "unknown"), which the protocol cannot carry; "
          + "run the file with ardf infer")
    }
    guard let shape = port.shape else {
      throw CommandError.input(
        "\(file): \(place) has no declared shape; export the file with shapes, or run it with ardf infer")
    }
    return TensorDescription(port.name, datatype, shape.map { $0 ?? -1 }, takesNonFinite: isInput)
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    var values = NameTable<ONNX.Value>()
    var elements = 0
    for input in description.inputs {
      guard let tensor = call.inputs[input.name], let type = types[input.name] else { return [] }
      elements += tensor.elements.count
      values[input.name] = .tensor(ONNX.Tensor(tensor, as: type))
    }
    guard !hasFreeAxes || elements <= Self.mostElements else {
      throw UnfitInput("\(counted(elements, "element")): send at most \(Self.mostElements) in all inputs")
    }
    try call.memory.take(elements * MemoryLayout<Double>.stride)
    try call.checkWanted()
    let results: [ONNX.Value]
    do {
      results = try models[call.worker].run(values)
    } catch let error as ONNXError {
      throw UnfitInput("\(error)")
    }
    return try zip(description.outputs, results).map { output, value in
      guard case .tensor(let tensor) = value else {
        throw UnfitInput("\(output.name): is not a tensor for these inputs")
      }
      try call.memory.take(tensor.count * MemoryLayout<Double>.stride)
      let made = ProtocolTensor(output.name, output.datatype, tensor.shape, tensor.protocolElements)
      if let floats = made.floats, !floats.allSatisfy(\.isFinite) {
        throw UnfitInput("\(output.name): becomes infinite or NaN for these inputs")
      }
      return made
    }
  }
}

extension Datatype {
  /// The protocol's name for a type of ONNX; nil where it has none.
  fileprivate init?(_ type: ONNX.ElementType) {
    switch type {
    case .float: self = .float32
    case .double: self = .float64
    case .float16: self = .float16
    case .bfloat16: self = .bf16
    case .uint8: self = .uint8
    case .uint16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    case .int8: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .bool: self = .bool
    case .string, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0, .float4e2m1,
      .uint4, .int4, .uint2, .int2:
      return nil
    }
  }
}

extension ONNX.Tensor {
  /// The elements of a request, which have this type by the model's description.
  fileprivate init(_ tensor: ProtocolTensor, as type: ONNX.ElementType) {
    switch tensor.elements {
    case .floats(let elements) where type == .float: self.init(tensor.shape, elements)
    case .floats(let elements): self.init(type, tensor.shape, doubles: elements.map { Double($0) })
    case .doubles(let elements): self.init(type, tensor.shape, doubles: elements)
    case .octets(let elements) where type == .uint8: self.init(tensor.shape, elements)
    case .octets(let elements): self.init(type, tensor.shape, doubles: elements.map { Double($0) })
    case .integers(let elements) where type == .int64: self.init(tensor.shape, elements.map { Int64($0) })
    case .integers(let elements) where type == .uint64:
      self.init(tensor.shape, elements.map { UInt64(clamping: $0) })
    case .integers(let elements): self.init(type, tensor.shape, doubles: elements.map { Double($0) })
    case .texts: self.init(type, tensor.shape, doubles: [])
    }
  }

  /// The elements in the Swift type that holds them in an answer.
  fileprivate var protocolElements: ProtocolTensor.Elements {
    switch type {
    case .float, .float16, .bfloat16: .floats(floats())
    case .double: .doubles(doubles())
    case .bool: .octets(array(of: Bool.self).map { $0 ? 1 : 0 })
    case .uint8: .octets(array(of: UInt8.self))
    default: .integers(integers())
    }
  }
}
