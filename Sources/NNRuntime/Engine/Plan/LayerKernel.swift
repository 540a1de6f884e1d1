import NNKernelInterface

/// How a layer is computed.
package enum LayerKernel: Sendable {
  /// No work: the result is another value's memory, or was there before.
  case none
  /// By a kernel, bound to the layer's operator.
  case kernel(BoundKernel)

  /// `avx512/winograd-f6x6-f32`; nil where there is no work.
  var name: String? {
    switch self {
    case .none: nil
    case .kernel(let bound): bound.name
    }
  }
}

/// A kernel, and how a layer's operands become its tasks: made together, so that no kernel meets another operation.
package struct BoundKernel: Sendable {
  /// With its catalogue.
  let name: String
  /// Packs weights for it, the layers side by side; nil where it reads none, or packs them with its step.
  let pack: (@Sendable (StepBuilder, StagingMemory) -> Void)?
  /// The step of the layer.
  let step: @Sendable (StepBuilder) -> Step

  init(
    _ name: String, pack: (@Sendable (StepBuilder, StagingMemory) -> Void)? = nil,
    step: @escaping @Sendable (StepBuilder) -> Step
  ) {
    self.name = name
    self.pack = pack
    self.step = step
  }
}

extension ConvolutionKernel {
  /// Unlike any other kernel's: with the catalogue that it comes from.
  package var fullName: String { "\(set)/\(name)" }
}

extension Kernel {
  /// Unlike any other kernel's: with the catalogue that it comes from.
  package var fullName: String { "\(set)/\(name)" }
}

/// Chooses the kernels of a plan's layers, with reasons.
package struct LayerChoice {
  let catalogue: KernelCatalogue
  let shapes: [MapShape]
  let elements: ElementTypes
  let measured: MeasuredChoices?
  let mixed: MixedPrecision
  /// The one that was asked for, of dense convolutions that it can compute.
  let kernel: String?

  /// How the node at `index` of the buffer assignment is computed.
  func choice(_ node: Node, _ index: Int) -> (choice: AlgorithmChoice, kernel: LayerKernel) {
    var (choice, kernel) = node.operation.choice(PlacedNode(node: node, index: index), self)
    if mixed.precision != .fp32, choice.algorithm != .none, !node.inputs.isEmpty {
      if mixed.precision(of: node) != mixed.precision { choice.reason += "; an exception of the plan" }
      choice.reason += "; \(elements[node.inputs[0]].name) to \(elements[node.output].name)"
    }
    return (choice, kernel)
  }

  /// The choice for a dense convolution, or for one position of a transposed one.
  func convolution(
    _ placed: PlacedNode, _ layer: Convolution, _ shape: ConvolutionShape
  ) -> KernelChoice {
    let (node, index) = (placed.node, placed.index)
    if let kernel = catalogue.convolutions.first(where: {
      $0.fullName == kernel && $0.computes(layer, shape)
    }) {
      return KernelChoice(kernel: kernel, reason: "asked for")
    }
    if let choice = elements.choice(index) { return choice }
    guard var choice = catalogue.choice(layer, shape, measured) else {
      preconditionFailure("\(node.name): no kernel of \(catalogue.name) computes \(shape.text)")
    }
    if mixed.precision(of: node) != .fp32, node.operation is Convolution {
      choice.reason +=
        layer.leavesOutMaps
        ? "; fp32, as it is narrow and leaves out the maps around it"
        : elements.isAtBorder(index)
          ? "; fp32, as it makes an output of the network" : "; fp32, as nothing less computes it"
    }
    return choice
  }

  /// The first kernel for such tasks that reads and makes the maps of a node.
  func first<Task>(_: Task.Type, _ node: Node, products: ProductElement = .float32) -> Kernel<Task> {
    .first(of: catalogue.kernels(of: Task.self), maps(of: node), products: products)
  }

  /// The types of all maps that a node reads and makes.
  private func maps(of node: Node) -> MapElements {
    (node.inputs + [node.output]).reduce(into: []) { $0.formUnion(MapElements(elements[$1])) }
  }
}
