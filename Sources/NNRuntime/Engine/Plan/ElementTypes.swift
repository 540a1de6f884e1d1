import NNKernelInterface

/// The element type of each value of a plan, and the layers that multiply in less than single precision.
///
/// Values that share a buffer share its element type: bf16, where the plan's arithmetic has it, unless a layer that reads or
/// makes one of them needs floats. Those are the layers at the network's inputs and outputs, narrow convolutions with a
/// fused neighbor, and layer normalizations, as what they read is a transformer's residual stream, which adds up small
/// updates over the whole depth of the network; and parts of sums that others are added to.
struct ElementTypes: Sendable {
  /// By value.
  private let types: [ElementType]
  /// By node of the buffer assignment: how it multiplies in less than single precision.
  private let reduced: [ReducedProducts]
  /// By node of the buffer assignment: whether it makes an input or an output of the network, which are floats.
  private let atBorder: [Bool]

  /// Everything in floats.
  init(allFloat assignment: BufferAssignment) {
    types = [ElementType](repeating: .float32, count: assignment.shapes.count)
    reduced = [ReducedProducts](repeating: .floats, count: assignment.nodes.count)
    atBorder = [Bool](repeating: false, count: assignment.nodes.count)
  }

  /// The choice for a graph that is to run in less than single precision.
  init(_ graph: Graph, _ assignment: BufferAssignment, _ arithmetic: Arithmetic) {
    let borders = Set((graph.inputs + graph.outputs).map { assignment.locations[$0.value].buffer })
    var floats = borders
    let atBorder = assignment.nodes.map { borders.contains(assignment.locations[$0.output].buffer) }
    let reduced = assignment.nodes.enumerated().map { index, node in
      node.operation.reduced(node, assignment.shapes, arithmetic.of(node), isOutput: atBorder[index])
    }
    self.atBorder = atBorder
    self.reduced = reduced
    for (index, node) in assignment.nodes.enumerated() {
      let buffers = (node.inputs + [node.output]).map { assignment.locations[$0].buffer }
      switch node.operation.floats(reduced[index]) {
      case .none: break
      case .input: floats.insert(buffers[0])
      case .addend: floats.insert(buffers[1])
      case .all: floats.formUnion(buffers)
      }
    }
    types = assignment.shapes.indices.map {
      floats.contains(assignment.locations[$0].buffer) ? .float32 : arithmetic.maps
    }
  }

  /// Element type of a stored value.
  subscript(value: ValueID) -> ElementType { types[value] }

  /// Precision of the node's products.
  func products(_ node: Int) -> ProductElement { reduced[node].element }

  /// The kernel that computes the node, a dense convolution, in less than single precision; nil where there is none.
  func choice(_ node: Int) -> KernelChoice? { reduced[node].choice }

  /// Whether the node makes an input or an output of the network.
  func isAtBorder(_ node: Int) -> Bool { atBorder[node] }

  /// Precision of the node's products.
  func precision(_ node: Int) -> Precision { Precision(reduced[node].element) }
}

extension ElementType {
  /// Bytes of an element.
  var size: Int { self == .float32 ? MemoryLayout<Float>.size : MemoryLayout<UInt16>.size }
  /// The field's name.
  var name: String { self == .float32 ? "fp32" : "bf16" }
}
