import FileFormats

extension ONNXModel {
  /// An input or output of a model.
  public struct Port: Sendable, Equatable {
    /// The name that values are given and found by.
    public let name: String
    /// The type of the elements; nil where it is not a tensor, or the file does not state it.
    public let type: ElementType?
    /// The sides, nil for each free one; nil where the file does not state their number.
    public let shape: [Int?]?
    /// The names that the file gives free axes, such as `batch`; nil for sides that are fixed or nameless.
    public let axisNames: [String?]

    init(_ name: String, _ message: TypeMessage?) {
      self.name = name
      guard case .tensor(let number, let axes) = message else {
        (type, shape, axisNames) = (nil, nil, [])
        return
      }
      type = ElementType(rawValue: number)
      shape = axes.map { $0.map { if case .size(let size) = $0 { size } else { nil } } }
      axisNames = (axes ?? []).map { if case .named(let name) = $0 { name } else { nil } }
    }
  }

  /// The inputs that have to be given.
  public var inputPorts: [Port] { inputs.map { Port($0.name, $0.type) } }
  /// The outputs.
  public var outputPorts: [Port] { outputs.map { Port($0.name, $0.type) } }
  /// Metadata that the exporter wrote into the file.
  public var metadata: [String: String] {
    Dictionary(metadataPairs.map { ($0.key, $0.value) }) { _, last in last }
  }

  /// The network for inputs of these shapes.
  ///
  /// - Parameter shapes: By the inputs' names; what is left out has the shape that the file states.
  /// - Returns: A network that takes inputs of these shapes alone.
  /// - Throws: `ONNXError`: what keeps the model from being run, an input that it lacks, a shape that does not fit the
  ///   file's, and an input that is left out though some of its axes are free.
  public func network(inputs shapes: [String: [Int]] = [:]) throws(ONNXError) -> ONNXNetwork {
    if let defect { throw defect }
    let ports = inputPorts
    if let other = shapes.keys.first(where: { name in !ports.contains { $0.name == name } }) {
      throw .input("the model has no input \"\(printableName(other))\"")
    }
    var fixed: [String: [Int]] = [:]
    for port in ports {
      let stated = port.shape
      let own = stated.flatMap { $0.contains(nil) ? nil : $0.compactMap(\.self) }
      guard let shape = shapes[port.name] ?? own
      else { throw .input("the input \"\(printableName(port.name))\" has free axes: give its shape") }
      let fits =
        stated.map { stated in
          stated.count == shape.count && zip(stated, shape).allSatisfy { $0 == nil || $0 == $1 }
        } ?? true
      guard fits, shape.allSatisfy({ $0 >= 0 }) else {
        throw .input(
          "the input \"\(printableName(port.name))\" cannot have shape \(Shape.text(shape))")
      }
      fixed[port.name] = shape
    }
    return ONNXNetwork(model: self, inputShapes: fixed)
  }
}

/// A network of an ONNX file for inputs of known shapes.
///
/// Runs from several threads are safe.
public struct ONNXNetwork: Sendable {
  /// The model.
  public let model: ONNXModel
  /// The inputs' shapes by their names.
  public let inputShapes: [String: [Int]]

  /// Computes the outputs.
  ///
  /// - Parameter inputs: Tensors of the network's types and shapes, by name.
  /// - Returns: The outputs that are tensors, by name.
  /// - Throws: `ONNXError`: an input that is missing, unknown or does not fit, and what a node cannot compute.
  public func run(_ inputs: [String: ONNXTensor]) throws(ONNXError) -> [String: ONNXTensor] {
    for (name, shape) in inputShapes {
      guard let given = inputs[name] else { throw .input("the input \"\(printableName(name))\" is missing") }
      guard given.shape == shape else {
        throw .input(
          "the input \"\(printableName(name))\" has shape \(Shape.text(given.shape)), the network's is \(Shape.text(shape))"
        )
      }
    }
    do {
      let values = NameTable(inputs.map { ($0.key, Value.tensor($0.value.tensor)) })
      var outputs: [String: ONNXTensor] = [:]
      for (port, value) in zip(model.outputs, try model.run(values)) {
        if case .tensor(let tensor) = value { outputs[port.name] = ONNXTensor(tensor) }
      }
      return outputs
    } catch let error as ONNXError {
      throw error
    } catch {
      throw .malformed("\(error)")
    }
  }
}
