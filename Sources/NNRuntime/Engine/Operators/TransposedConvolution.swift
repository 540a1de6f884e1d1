import NNKernelInterface

/// A transposed convolution whose kernel is as large as its stride: each position of the kernel is a 1x1 convolution.
struct TransposedConvolution: Operator {
  /// Its weights are (in, out, kernel height, kernel width).
  var layer: Convolution

  var name: String { "convtranspose" }
  var placing: Placing { .own }
  var parameterCount: Int { layer.parameterCount }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    try .result(
      height: inputs[0].height * layer.stride, width: inputs[0].width * layer.stride,
      channels: layer.outChannels)
  }

  func operations(_ node: Node, _ shapes: [MapShape]) -> Double {
    2 * Double((node.partOf ?? shapes[node.output]).count) * Double(shapes[node.inputs[0]].channels)
  }

  func longestSum(of input: MapShape) -> Int { input.channels }

  func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts {
    ReducedProducts(arithmetic.choice(layer, node.subpixelShape(layer, shapes), isOutput: isOutput))
  }

  func floats(_ reduced: ReducedProducts) -> FloatMaps { reduced.element == .float32 ? .all : .none }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)? {
    if case .addition = step { return nil }
    return layer.doing(step, hasResidual: hasResidual).map { TransposedConvolution(layer: $0) }
  }

  func choice(_ placed: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel) {
    let node = placed.node
    let choice = choosing.convolution(placed, layer, node.subpixelShape(layer, choosing.shapes))
    let reason =
      choosing.elements.choice(placed.index) != nil
      ? choice.reason
      : "kernel as large as the stride: outputs don't overlap; for each of its positions, \(choice.reason)"
    let bound = BoundKernel(choice.kernel.fullName) { builder, _ in
      for part in 0..<layer.stride * layer.stride {
        _ = builder.packedSubpixel(node, layer, part, choice.kernel)
      }
    } step: {
      $0.transposed(node, placed.index, layer, choice.kernel)
    }
    return (AlgorithmChoice(algorithm: .subpixel, reason: reason), .kernel(bound))
  }
}

extension Value {
  /// A transposed convolution whose kernel is as large as its stride; `weights` is (in, out, k, k).
  public func transposedConvolution(_ weights: Tensor, bias: Tensor? = nil, stride: Int, name: String)
    -> Value
  {
    guard weights.shape.count == 4, weights.shape[0] == shape.channels, weights.shape[2] == stride,
      weights.shape[3] == stride, (1...MapShape.mostAlongSide).contains(stride)
    else {
      return failed(
        .wrongWeights(
          found: weights.shape,
          needed: "(\(shape.channels), out, \(stride), \(stride)) is needed for \(shape)"),
        name)
    }
    let out = weights.shape[1]
    if let misfit = Self.misfit(of: bias, outputs: out) { return failed(misfit, name) }
    let layer = Convolution(
      weights: weights, scale: nil, bias: bias?.floats() ?? [Float](repeating: 0, count: out),
      outChannels: out, kernelHeight: stride, kernelWidth: stride, stride: stride, padding: 0)
    return applying(TransposedConvolution(layer: layer), name: name)
  }
}
