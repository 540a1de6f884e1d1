import FileFormats
import NNRuntime
import ONNX

/// An island that is planned, and how its tensors go in and out.
final class IslandSession: Sendable {
  /// A result: row-major where it has no places.
  struct Output: Sendable {
    let slot: Int
    let kind: TensorKind
    let port: GraphOutput
    /// Where its elements lie in the port's map.
    let places: [Int]?
    /// A factor still to be applied to every element.
    let factor: Float
  }

  let level: Int
  let session: Session
  private let packed: PackedWeights
  let inputs: [(slot: Int, port: GraphInput)]
  let outputs: [Output]
  /// The nodes that are computed here.
  let nodes: [ProgramNode]
  /// By the name of a layer: the tensor that it makes, and where its elements lie.
  let layers: NameTable<LayerTensor>

  /// The tensor of the program that a layer makes.
  struct LayerTensor: Sendable {
    let slot: Int
    let view: StridedView
    let factor: Float
  }

  /// Plans an island whose results `wanted` are read elsewhere.
  init(
    _ island: Island, wanted: [(slot: Int, kind: TensorKind)], options: PlanOptions,
    pool: ThreadPool
  ) throws {
    level = island.level
    nodes = island.nodes
    var ports: [(name: String, value: MapValue)] = []
    var forms: [(slot: Int, kind: TensorKind, view: StridedView?, factor: Float)] = []
    for (slot, kind) in wanted {
      guard let tensor = island.tensors[slot] else { continue }
      let name = "output.\(slot)"
      let (value, view, factor) = island.rowMajor(tensor, name)
      ports.append((name, value))
      forms.append((slot, kind, view, factor))
    }
    let graph = try island.builder.finish(outputs: ports).removingUnread()
    packed = PackedWeights()
    session = Session(try Plan(graph, options: options), pool: pool, weights: packed)
    let plan = session.plan
    // A rule that failed in the end may have taken more in.
    let read = Set(graph.nodes.flatMap(\.inputs)).union(ports.map(\.value.number))
    inputs = try island.inputs.filter { read.contains($0.value.number) }
      .map { ($0.slot, try plan.input($0.name)) }
    let found = try ports.map { try plan.output($0.name) }
    outputs = zip(forms, found).map {
      Output(slot: $0.slot, kind: $0.kind, port: $1, places: $0.view?.places, factor: $0.factor)
    }
    var layers = NameTable<LayerTensor>()
    for (slot, layer) in island.layers {
      guard let tensor = island.tensors[slot], tensor.isWhole else { continue }
      layers[layer] = LayerTensor(slot: slot, view: tensor.view, factor: tensor.factor)
    }
    self.layers = layers
  }

  /// The same island in memory of its own, with the same packed weights, on the threads of `pool`.
  init(_ other: IslandSession, pool: ThreadPool) {
    (level, nodes, inputs) = (other.level, other.nodes, other.inputs)
    (outputs, layers, packed) = (other.outputs, other.layers, other.packed)
    session = Session(other.session.plan, pool: pool, weights: packed)
  }

  /// Runs it on the values that are there, and puts its own beside them.
  ///
  /// - `layer`, `chunk`: told when each layer of the plan ran, and each of its chunks on which thread.
  func run(
    _ slots: inout [ONNXValue?], layer: ((_ layer: Int, _ time: Range<UInt64>) -> Void)? = nil,
    chunk: (@Sendable (_ thread: Int, _ layer: Int, _ time: Range<UInt64>) -> Void)? = nil
  ) throws {
    let given = try inputs.map { try elements(of: $0.slot, slots) }
    let prepare = { (filling: borrowing SessionInputs) in
      for (input, elements) in zip(self.inputs, given) { filling.fill(input.port, with: elements) }
    }
    let read = { (results: borrowing SessionOutputs) in
      self.outputs.map { output in output.elements(of: results.elements(of: output.port)) }
    }
    let made =
      if let layer {
        session.observedRun(prepare: prepare, layer: layer, chunk: chunk, read: read)
      } else {
        session.run(prepare: prepare, read: read)
      }
    for (output, elements) in zip(outputs, made) {
      slots[output.slot] = .tensor(output.kind.tensor(elements))
    }
  }

  /// The elements of a value that goes in.
  func elements(of slot: Int, _ slots: [ONNXValue?]) throws -> [Float] {
    guard let value = slots[slot] else { throw ONNXError.malformed("a value is missing") }
    return try value.tensor("an operand").floats()
  }
}

extension IslandSession.Output {
  /// The elements of a dense map, row-major.
  func elements(of dense: [Float]) -> [Float] {
    let elements = places.map { $0.map { dense[$0] } } ?? dense
    return factor == 1 ? elements : elements.map { $0 * factor }
  }
}

extension StridedView {
  /// Where in memory the tensor's elements lie, row-major.
  var places: [Int] {
    var places = [offset]
    for factor in flat {
      places = places.flatMap { place in (0..<factor.size).map { place + $0 * factor.stride } }
    }
    return places
  }

  /// The tensor's elements, row-major, of memory.
  func elements(of memory: [Float]) -> [Float] {
    isRowMajor && memory.count == count ? memory : places.map { memory[$0] }
  }
}

extension Island {
  /// The tensor as a map whose elements are in its own order, or, where that cannot be, where they lie.
  func rowMajor(_ x: Lowered, _ name: String) -> (
    value: MapValue, view: StridedView?, factor: Float
  ) {
    if x.isWhole, x.view.isRowMajor, let x = settled(x, name) { return (x.value, nil, 1) }
    if let found: Lowered = rowMajor(x, name) {
      return (found.value, nil, 1)
    }
    return (x.value, x.view, x.factor)
  }
}

extension TensorKind {
  /// A tensor of this kind of elements in single precision, rounded to its type.
  func tensor(_ elements: [Float]) -> ONNXTensor {
    type == .float
      ? ONNXTensor(shape, elements) : ONNXTensor(type, shape, doubles: elements.map(Double.init))
  }
}
