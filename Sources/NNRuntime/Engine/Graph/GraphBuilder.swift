/// Builds a network once; the operators are methods of `Value` (`Operators`).
///
/// Misuse (shapes that don't fit, values of two builders) is a precondition: a model's own code is wrong.
/// What comes from a file is checked where weights are bound, with an error.
public final class GraphBuilder {
  let name: String
  var shapes: [MapShape] = []
  var nodes: [Node] = []
  private var inputs: [(name: String, value: ValueID)] = []

  /// A builder of an empty network.
  public init(name: String) { self.name = name }

  /// Declares an input of `images` maps, filled before every run.
  public func input(_ name: String, images: Int = 1, height: Int, width: Int, channels: Int) -> Value {
    let value = append(
      name, Input(shape: MapShape(images: images, height: height, width: width, channels: channels)), [])
    inputs.append((name, value.id))
    return value
  }

  /// A map known in advance; `tensor` holds height x width x channels elements, channels last.
  public func constant(_ name: String, _ tensor: Tensor, shape: MapShape) -> Value {
    append(name, Constant(tensor: tensor, shape: shape), [])
  }

  /// Channels of all values side by side; the maps are of one size.
  public func concatenate(_ values: [Value], name: String) -> Value {
    precondition(!values.isEmpty, "\(name): nothing to concatenate")
    return values[0].applying(Concatenate(), to: Array(values.dropFirst()), name: name)
  }

  /// The finished network.
  ///
  /// `outputs` are read after every run.
  public func finish(outputs: [(name: String, value: Value)]) -> Graph {
    for output in outputs { precondition(output.value.builder === self, "a value of another builder") }
    return Graph(
      name: name, shapes: shapes, nodes: nodes, inputs: inputs,
      outputs: outputs.map { ($0.name, $0.value.id) })
  }

  /// Operators see one image: what is done to each of a batch is done to the same constants.
  func append(_ name: String, _ operation: any Operator, _ operands: [ValueID]) -> Value {
    let inputs = operands.map { shapes[$0] }
    let images = inputs.map(\.images).max()
    precondition(
      inputs.allSatisfy { $0.images == images || $0.images == 1 }, "\(name): batches of several sizes")
    let shape = operation.shape(of: inputs.map { $0.of(images: 1) }, layer: name)
    shapes.append(images.map(shape.of) ?? shape)
    nodes.append(Node(name: name, operation: operation, inputs: operands, output: shapes.count - 1))
    return Value(builder: self, id: shapes.count - 1)
  }
}
