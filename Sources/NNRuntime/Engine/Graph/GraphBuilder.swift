import FileFormats

/// Builds a network once; the operators are methods of `Value` (`Operators`).
///
/// A layer that cannot be (weights or maps that don't fit, values of two builders) is an error of `finish`, with the layer's
/// name: what is built after it is not checked.
public final class GraphBuilder {
  let name: String
  var shapes: [MapShape] = []
  var nodes: [Node] = []
  private var inputs: [(name: String, value: ValueID)] = []
  /// The error of the first invalid layer.
  private var error: GraphError?

  /// A builder of an empty network.
  public init(name: String) { self.name = name }

  /// Declares an input of `images` maps, filled before every run.
  public func input(_ name: String, images: Int = 1, height: Int, width: Int, channels: Int) -> Value {
    do throws(GraphError.Kind) {
      guard (1...MapShape.mostAlongSide).contains(images) else {
        throw .wrongAttributes(counted(images, "image"))
      }
      let shape = try MapShape.result(height: height, width: width, channels: channels)
      let value = append(name, Input(shape: shape.of(images: images)), [])
      inputs.append((name, value.id))
      return value
    } catch {
      fail(GraphError(error, layer: name))
      return standIn
    }
  }

  /// A map known in advance; `tensor` holds height x width x channels elements, channels last.
  public func constant(_ name: String, _ tensor: Tensor, shape: MapShape) -> Value {
    append(name, Constant(tensor: tensor, shape: shape), [])
  }

  /// Channels of all values side by side; the maps are of one size.
  public func concatenate(_ values: [Value], name: String) -> Value {
    guard let first = values.first else {
      fail(GraphError(.wrongInputs([], needed: "at least one map is needed"), layer: name))
      return standIn
    }
    return first.applying(Concatenate(), to: Array(values.dropFirst()), name: name)
  }

  /// The finished network.
  ///
  /// `outputs` are read after every run.
  ///
  /// - Throws: `GraphError` of the first layer that cannot be.
  public func finish(outputs: [(name: String, value: Value)]) throws(GraphError) -> Graph {
    for output in outputs where output.value.builder !== self {
      fail(GraphError(.foreignValue, layer: output.name))
    }
    if let error { throw error }
    return Graph(
      name: name, shapes: shapes, nodes: nodes, inputs: inputs,
      outputs: outputs.map { ($0.name, $0.value.id) })
  }

  /// The finished network of code whose weights were checked where they were bound: a layer that cannot be is that code's
  /// mistake.
  package func finished(outputs: [(name: String, value: Value)]) -> Graph {
    do throws(GraphError) { return try finish(outputs: outputs) } catch { fatalError("\(name): \(error)") }
  }

  /// Keeps the first error.
  func fail(_ error: GraphError) { self.error = self.error ?? error }

  /// A value that stands for a missing one.
  private var standIn: Value {
    shapes.append(MapShape(height: 1, width: 1, channels: 1))
    return Value(builder: self, id: shapes.count - 1)
  }

  /// Operators see one image: what is done to each of a batch is done to the same constants.
  func append(_ name: String, _ operation: any Operator, _ operands: [ValueID]) -> Value {
    // The first error counts.
    guard error == nil else { return operands.first.map { Value(builder: self, id: $0) } ?? standIn }
    let inputs = operands.map { shapes[$0] }
    let images = inputs.map(\.images).max()
    let shape: MapShape
    do throws(GraphError.Kind) {
      guard inputs.allSatisfy({ $0.images == images || $0.images == 1 }) else {
        throw .wrongInputs(inputs, needed: "batches of one size are needed")
      }
      shape = try operation.shape(of: inputs.map { $0.of(images: 1) })
    } catch {
      fail(GraphError(error, layer: name))
      return operands.first.map { Value(builder: self, id: $0) } ?? standIn
    }
    shapes.append(images.map(shape.of) ?? shape)
    nodes.append(Node(name: name, operation: operation, inputs: operands, output: shapes.count - 1))
    return Value(builder: self, id: shapes.count - 1)
  }
}
