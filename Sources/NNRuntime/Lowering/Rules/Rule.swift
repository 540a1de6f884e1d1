import FileFormats
import NNRuntime
import ONNX

/// How operators become layers of the engine.
///
/// A rule knows every attribute that it reads the meaning of; where a node has another, or a form that the engine lacks,
/// it answers nil, and the node is computed by its definition.
protocol Rule: SendableMetatype {
  /// The tensors that the node makes.
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]?
}

/// Arguments of a rule: a node's operands and the graph under construction.
struct Operands {
  let node: ProgramNode
  let program: FixedProgram
  let island: Island
  /// The layer's name, which no other has.
  let name: String

  var step: ONNXStep { node.step }
  var count: Int { node.inputs.count }

  /// The shape of an input.
  func shape(_ index: Int) -> [Int]? { kind(index)?.shape }
  /// The shape of an output.
  func outputShape(_ index: Int = 0) -> [Int]? { program.kind(node.outputs[index])?.shape }

  private func kind(_ index: Int) -> TensorKind? {
    node.inputs.indices.contains(index) ? program.kind(node.inputs[index]) : nil
  }

  /// The order of the result's axes for its only reader, where that transposes it.
  var orderForReader: [Int]? {
    guard let slot = node.outputs[0], let readers = program.readers[slot], readers.count == 1,
      program.steps.indices.contains(readers[0]), program.steps[readers[0]].type == "Transpose",
      let order = program.steps[readers[0]].ints("perm"),
      order.sorted() == Array(0..<(outputShape()?.count ?? 0))
    else { return nil }
    return order
  }

  /// Whether an input is given.
  func has(_ index: Int) -> Bool { node.inputs.indices.contains(index) && node.inputs[index] != nil }

  /// An input that is known beforehand.
  func constant(_ index: Int) -> ONNXTensor? {
    node.inputs.indices.contains(index) ? program.constant(node.inputs[index]) : nil
  }

  /// An input of floats that is computed, in the graph or before it.
  func tensor(_ index: Int) -> Lowered? {
    guard let kind = kind(index), let slot = node.inputs[index], program.known[slot] == nil else {
      return nil
    }
    if let known = island.tensors[slot] { return known }
    guard kind.type.isHeldAsFloat, kind.count > 0 else { return nil }
    return island.enter(slot, kind.shape)
  }

  /// Such an input with nothing owed.
  func settled(_ index: Int) -> Lowered? { tensor(index).flatMap { island.settled($0, name) } }

  /// A known input's elements as weights.
  func weights(_ index: Int) -> WeightTensor? { constant(index).flatMap(WeightTensor.init(onnx:)) }

  /// Whether the third input, a bias, is left out, or known and one number for each of `channels`.
  func hasBias(of channels: Int) -> Bool {
    !has(2) || constant(2).map { $0.shape == [channels] && $0.type.isHeldAsFloat } == true
  }

  /// A known tensor as a map.
  func constantMap(_ tensor: ONNXTensor) -> Lowered? {
    guard tensor.type.isHeldAsFloat, tensor.count > 0 else { return nil }
    let shape = island.mapShape(of: tensor.shape).of(images: 1)
    guard shape.count == tensor.count, let weights = WeightTensor(onnx: tensor) else { return nil }
    let value = island.builder.constant(island.unique("\(name).constant"), weights, shape: shape)
    return Lowered(value: value, view: StridedView(rowMajor: tensor.shape))
  }

  /// A name for a layer that helps.
  func helper(_ suffix: String) -> String { island.unique("\(name).\(suffix)") }

  /// The tensor with an axis's channels replaced by those of `value`, on the same pixels.
  func replacing(_ axis: Int, of x: Lowered, with value: MapValue) -> Lowered {
    let (old, new) = (x.map.channels, value.shape.channels)
    var axes = x.view.axes.map { $0.map { Factor(size: $0.size, stride: $0.stride / old * new) } }
    axes[axis] = [Factor(size: new, stride: 1)]
    return Lowered(value: value, view: StridedView(axes: axes))
  }
}

extension WeightTensor {
  /// The elements of a tensor of floats; those of a mapped file stay there, and what is computed of them is not kept.
  init?(onnx tensor: ONNXTensor) {
    let type: DType
    switch tensor.type {
    case .float: type = .float32
    case .float16: type = .float16
    case .bfloat16: type = .bfloat16
    default: return nil
    }
    if case .mapped(let bytes) = tensor.elements {
      self.init(shape: tensor.shape, dtype: type, storage: TensorStorage(bytes))
    } else if case .computed = tensor.elements {
      let storage = TensorStorage(count: tensor.count) { tensor.floats() }
      self.init(shape: tensor.shape, dtype: .float32, storage: storage)
    } else {
      self.init(shape: tensor.shape, floats: tensor.floats())
    }
  }
}
