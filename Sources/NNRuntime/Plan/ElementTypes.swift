import NNKernelInterface

/// What each value of a plan is stored as, and which layers multiply in less than single precision.
///
/// Values that share a buffer share its element type: bf16, where the plan's arithmetic has it, unless a layer that reads or
/// makes one of them needs floats. Those are the layers at the network's inputs and outputs, narrow convolutions with a
/// fused neighbor, and layer normalizations, as what they read is a transformer's residual stream, which adds up small
/// updates over the whole depth of the network; and parts of sums that others are added to.
struct ElementTypes: Sendable {
  /// By value.
  private let types: [ElementType]
  /// By node of the placement: what it multiplies in.
  private let products: [ProductElement]
  /// By node of the placement: what computes a dense convolution in less than single precision.
  private let choices: [KernelChoice?]
  /// By node of the placement: whether it makes an input or an output of the network, which are floats.
  private let atBorder: [Bool]

  /// Everything in floats.
  init(allFloat placement: Placement) {
    types = [ElementType](repeating: .float32, count: placement.shapes.count)
    products = [ProductElement](repeating: .float32, count: placement.nodes.count)
    choices = [KernelChoice?](repeating: nil, count: placement.nodes.count)
    atBorder = [Bool](repeating: false, count: placement.nodes.count)
  }

  /// The choice for a graph that is to run in less than single precision.
  init(_ graph: Graph, _ placement: Placement, _ arithmetic: Arithmetic) {
    let borders = Set((graph.inputs + graph.outputs).map { placement.locations[$0.value].buffer })
    var floats = borders
    let atBorder = placement.nodes.map { borders.contains(placement.locations[$0.output].buffer) }
    let choices = placement.nodes.enumerated().map { index, node in
      node.leavesOutMaps
        ? nil : node.choice(placement.shapes, arithmetic.of(node), isOutput: atBorder[index])
    }
    let products = placement.nodes.enumerated().map { index, node in
      if case .attention = node.operation, !atBorder[index] { return arithmetic.of(node).attention }
      return choices[index]?.kernel.products ?? .float32
    }
    self.atBorder = atBorder
    self.choices = choices
    self.products = products
    for (index, node) in placement.nodes.enumerated() {
      let buffers = (node.inputs + [node.output]).map { placement.locations[$0].buffer }
      switch node.operation {
      case .convolution(let layer) where layer.isDepthwise: break
      case .convolution(let layer) where layer.addsToSums && choices[index] != nil: floats.insert(buffers[1])
      case .convolution, .transposedConvolution, .attention:
        if products[index] == .float32 { floats.formUnion(buffers) }
      case .layerNorm: floats.insert(buffers[0])
      case .input, .constant, .prependToken, .softmax: floats.formUnion(buffers)
      case .affine, .activation, .add, .maxPool, .resize, .copy, .concatenate, .slice, .view: break
      }
    }
    types = placement.shapes.indices.map {
      floats.contains(placement.locations[$0].buffer) ? .float32 : arithmetic.maps
    }
  }

  /// What a value is stored as.
  subscript(value: ValueID) -> ElementType { types[value] }

  /// What the node multiplies in.
  func products(_ node: Int) -> ProductElement { products[node] }

  /// What computes the node, a dense convolution, in less than single precision; nil where nothing does.
  func choice(_ node: Int) -> KernelChoice? { choices[node] }

  /// Whether the node makes an input or an output of the network.
  func isAtBorder(_ node: Int) -> Bool { atBorder[node] }

  /// What the node multiplies in.
  func precision(_ node: Int) -> Precision { Precision(products[node]) }
}

extension Node {
  /// Whether maps before or behind it are never made.
  var leavesOutMaps: Bool {
    guard case .convolution(let layer) = operation else { return false }
    return layer.enlargement != nil || layer.projection != nil
  }

  /// What computes it in less than single precision, if it is a dense convolution.
  fileprivate func choice(
    _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> KernelChoice? {
    switch operation {
    case .convolution(let layer):
      layer.isDepthwise
        ? nil : arithmetic.choice(layer, convolutionShape(layer, shapes), isOutput: isOutput)
    case .transposedConvolution(let layer):
      arithmetic.choice(layer, subpixelShape(layer, shapes), isOutput: isOutput)
    case .input, .constant, .affine, .activation, .add, .concatenate, .slice, .view, .prependToken, .maxPool,
      .resize, .layerNorm, .softmax, .attention, .copy:
      nil
    }
  }
}

extension ElementType {
  /// Bytes of an element.
  var size: Int { self == .float32 ? MemoryLayout<Float>.size : MemoryLayout<UInt16>.size }
  /// The field's name.
  var name: String { self == .float32 ? "fp32" : "bf16" }
}
