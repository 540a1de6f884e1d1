import NNKernelInterface

/// What each value of a plan in bf16 is stored as, and which layers multiply in bf16.
///
/// Values that share a buffer share its element type: bf16 unless a layer that reads or makes one of them needs
/// floats. Those are the layers before and behind the network's borders, narrow convolutions that leave out maps, and layer
/// normalisations, as what they read is a transformer's residual stream, which adds up small updates over the whole depth
/// of the network; and parts of sums that others are added to.
struct ElementTypes: Sendable {
  /// By value.
  private let types: [ElementType]
  /// By node of the placement: whether it multiplies in bf16.
  private let reduced: [Bool]
  /// By node of the placement: Winograd's choice where it multiplies integers, faster than direct products in bf16.
  private let integers: [KernelChoice?]

  /// Everything in floats.
  init(allFloat placement: Placement) {
    types = [ElementType](repeating: .float32, count: placement.shapes.count)
    reduced = [Bool](repeating: false, count: placement.nodes.count)
    integers = [KernelChoice?](repeating: nil, count: placement.nodes.count)
  }

  /// The choice for a graph that is to run in bf16.
  init(_ graph: Graph, _ placement: Placement, _ catalogue: KernelCatalogue) {
    let borders = Set((graph.inputs + graph.outputs).map { placement.locations[$0.value].buffer })
    var floats = borders
    let isFloat = placement.nodes.map { node in
      borders.contains(placement.locations[node.output].buffer) || node.leavesOutMaps
    }
    let integers = placement.nodes.enumerated().map { index, node in
      isFloat[index] ? nil : node.integerChoice(placement.shapes, catalogue)
    }
    reduced = placement.nodes.enumerated().map { index, node in
      node.operation.multiplies && !isFloat[index] && integers[index] == nil
    }
    self.integers = integers
    for (index, node) in placement.nodes.enumerated() {
      let buffers = (node.inputs + [node.output]).map { placement.locations[$0].buffer }
      switch node.operation {
      case .convolution(let layer) where layer.isDepthwise: break
      case .convolution(let layer) where layer.addsToSums && reduced[index]: floats.insert(buffers[1])
      case .convolution where integers[index] != nil: break
      case .convolution, .transposedConvolution, .attention:
        if !reduced[index] { floats.formUnion(buffers) }
      case .layerNorm: floats.insert(buffers[0])
      case .input, .constant, .prependToken, .softmax: floats.formUnion(buffers)
      case .affine, .activation, .add, .maxPool, .resize, .copy, .concatenate, .slice, .view: break
      }
    }
    types = placement.shapes.indices.map {
      floats.contains(placement.locations[$0].buffer) ? .float32 : .bfloat16
    }
  }

  /// What a value is stored as.
  subscript(value: ValueID) -> ElementType { types[value] }

  /// Whether the node multiplies in bf16.
  func multipliesReduced(_ node: Int) -> Bool { reduced[node] }

  /// How Winograd computes the node in 16-bit integers; nil where it doesn't.
  func integerChoice(_ node: Int) -> KernelChoice? { integers[node] }

  /// What the node multiplies in.
  func precision(_ node: Int) -> Precision { reduced[node] || integers[node] != nil ? .bf16 : .fp32 }
}

extension Node {
  /// Whether maps before or behind it are never made.
  var leavesOutMaps: Bool {
    guard case .convolution(let layer) = operation else { return false }
    return layer.enlargement != nil || layer.projection != nil
  }

  /// How Winograd would compute it in 16-bit integers; nil where it can't, or direct products of bf16 are faster.
  fileprivate func integerChoice(_ shapes: [MapShape], _ catalogue: KernelCatalogue) -> KernelChoice? {
    guard case .convolution(let layer) = operation, !layer.isDepthwise else { return nil }
    return catalogue.integerChoice(layer, convolutionShape(layer, shapes))
  }
}

extension Operation {
  /// Whether it is a matrix product at heart.
  fileprivate var multiplies: Bool {
    switch self {
    case .convolution(let layer): !layer.isDepthwise
    case .transposedConvolution, .attention: true
    default: false
    }
  }
}

extension ElementType {
  /// Bytes of an element.
  var size: Int { self == .float32 ? MemoryLayout<Float>.size : MemoryLayout<UInt16>.size }
  /// The field's name.
  var name: String { self == .float32 ? "fp32" : "bf16" }
}
