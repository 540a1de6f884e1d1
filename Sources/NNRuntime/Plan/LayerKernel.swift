import NNKernelInterface

/// The kernel that computes a layer, with the parameters of that layer: no kernel can meet another operation's.
enum LayerKernel: Sendable {
  /// No work: the result is another value's memory, or was there before.
  case none
  case convolution(Convolution, ConvolutionKernel)
  case transposedConvolution(Convolution, ConvolutionKernel)
  case depthwise(Convolution, Kernel<DepthwiseTask>)
  case maxPool(PoolWindow, Kernel<PoolTask>)
  case resize(Interpolation, Kernel<ResizeTask>)
  case layerNorm(LayerNormParameters, Kernel<LayerNormTask>)
  case softmax(Kernel<ElementwiseTask>)
  case elementwise(ElementwiseLayer, Kernel<ElementwiseTask>)
  case attention(AttentionLayout, Kernel<AttentionTask>)

  /// What an elementwise kernel computes for a layer.
  enum ElementwiseLayer: Sendable {
    case affine(scale: [Float], shift: [Float])
    case activation(Activation)
    case add
    case copy
    case prependToken([Float])
  }

  /// `avx512/winograd-f6x6-f32`; nil where there is no work.
  var name: String? {
    switch self {
    case .none: nil
    case .convolution(_, let kernel), .transposedConvolution(_, let kernel): kernel.fullName
    case .depthwise(_, let kernel): kernel.fullName
    case .maxPool(_, let kernel): kernel.fullName
    case .resize(_, let kernel): kernel.fullName
    case .layerNorm(_, let kernel): kernel.fullName
    case .softmax(let kernel), .elementwise(_, let kernel): kernel.fullName
    case .attention(_, let kernel): kernel.fullName
    }
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
struct LayerChoice {
  let catalogue: KernelCatalogue
  let shapes: [MapShape]
  let elements: ElementTypes
  let measured: MeasuredChoices?
  let mixed: MixedPrecision
  /// The one that was asked for, of dense convolutions that it can compute.
  let kernel: String?

  /// How the node at `index` of the placement is computed.
  func choice(_ node: Node, _ index: Int) -> (choice: AlgorithmChoice, kernel: LayerKernel) {
    var (choice, kernel) = planned(node, index)
    if mixed.precision != .fp32, choice.algorithm != .none, !node.inputs.isEmpty {
      if mixed.precision(of: node) != mixed.precision { choice.reason += "; an exception of the plan" }
      choice.reason += "; \(elements[node.inputs[0]].name) to \(elements[node.output].name)"
    }
    return (choice, kernel)
  }

  private func planned(_ node: Node, _ index: Int) -> (AlgorithmChoice, LayerKernel) {
    let maps = maps(of: node)
    func vector(_ kernel: LayerKernel) -> (AlgorithmChoice, LayerKernel) {
      (AlgorithmChoice(algorithm: .vector, reason: "elementwise or windowed"), kernel)
    }
    func elementwise(_ layer: LayerKernel.ElementwiseLayer) -> (AlgorithmChoice, LayerKernel) {
      vector(.elementwise(layer, .first(of: catalogue.elementwise, maps)))
    }
    switch node.operation {
    case .input, .constant, .slice, .view, .concatenate:
      return (AlgorithmChoice(algorithm: .none, reason: "memory of another value"), .none)
    case .convolution(let layer) where layer.isDepthwise:
      return (
        AlgorithmChoice(algorithm: .vector, reason: "one filter a channel"),
        .depthwise(layer, .first(of: catalogue.depthwise, maps))
      )
    case .convolution(let layer):
      let choice = convolution(node, index, layer, node.convolutionShape(layer, shapes))
      return (
        AlgorithmChoice(algorithm: choice.kernel.algorithm, reason: choice.reason),
        .convolution(layer, choice.kernel)
      )
    case .transposedConvolution(let layer):
      let choice = convolution(node, index, layer, node.subpixelShape(layer, shapes))
      let reason =
        elements.choice(index) != nil
        ? choice.reason
        : "kernel as large as the stride: outputs don't overlap; for each of its positions, \(choice.reason)"
      return (
        AlgorithmChoice(algorithm: .subpixel, reason: reason), .transposedConvolution(layer, choice.kernel)
      )
    case .attention(let layout):
      let products = elements.products(index)
      let reason =
        switch products {
        case .int8: "scores of 8-bit integers where they are bounded, weights in bf16; "
        case .int16: "products of 16-bit integers, a scale a query and key; "
        case .bfloat16: "\(Arithmetic.rounded), "
        case .float32, .float16: ""
        }
      return (
        AlgorithmChoice(algorithm: .blocked, reason: reason + "scores stay in the cache"),
        .attention(layout, .first(of: catalogue.attention, maps, products: products))
      )
    case .maxPool(let window): return vector(.maxPool(window, .first(of: catalogue.maxPool, maps)))
    case .resize(let kind): return vector(.resize(kind, .first(of: catalogue.resize, maps)))
    case .layerNorm(let norm): return vector(.layerNorm(norm, .first(of: catalogue.layerNorm, maps)))
    case .softmax: return vector(.softmax(.first(of: catalogue.softmax, maps)))
    case .affine(let scale, let shift): return elementwise(.affine(scale: scale, shift: shift))
    case .activation(let activation): return elementwise(.activation(activation))
    case .add: return elementwise(.add)
    case .copy: return elementwise(.copy)
    case .prependToken(let token): return elementwise(.prependToken(token))
    }
  }

  /// The choice for a dense convolution, or for one position of a transposed one.
  private func convolution(
    _ node: Node, _ index: Int, _ layer: Convolution, _ shape: ConvolutionShape
  ) -> KernelChoice {
    if let kernel = catalogue.convolutions.first(where: {
      $0.fullName == kernel && $0.domain.contains(shape)
    }) {
      return KernelChoice(kernel: kernel, reason: "asked for")
    }
    if let choice = elements.choice(index) { return choice }
    guard var choice = catalogue.choice(layer, shape, measured) else {
      preconditionFailure("\(node.name): no kernel of \(catalogue.name) computes \(shape.text)")
    }
    if mixed.precision(of: node) != .fp32, case .convolution = node.operation {
      choice.reason +=
        node.leavesOutMaps
        ? "; fp32, as it is narrow and leaves out the maps around it"
        : elements.isAtBorder(index)
          ? "; fp32, as it makes an output of the network" : "; fp32, as nothing less computes it"
    }
    return choice
  }

  /// The types of all maps that a node reads and makes.
  private func maps(of node: Node) -> MapElements {
    (node.inputs + [node.output]).reduce(into: []) { $0.formUnion(MapElements(elements[$1])) }
  }
}
