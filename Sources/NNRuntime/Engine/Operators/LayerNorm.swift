import NNKernelInterface

/// A layer normalization over the channels of each pixel: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
package struct LayerNorm: VectorOperator {
  var gamma, beta: [Float]
  var epsilon: Float

  package var name: String { "layernorm" }
  package var parameterCount: Int { gamma.count + beta.count }
  package func longestSum(of input: MapShape) -> Int { input.channels }
  package func floats(_ reduced: ReducedProducts) -> FloatMaps { .input }
  package var elementwiseStep: ElementwiseStep { .none }
  package var multiples: ResultMultiples { .any }

  package func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    for count in [gamma.count, beta.count] { try inputs[0].checkOneAChannel([count]) }
    return inputs[0]
  }

  package func step(_ layer: PlacedNode, _ kernel: Kernel<LayerNormTask>, _ builder: StepBuilder) -> Step {
    let output = builder.shapes[layer.node.output]
    let (normalization, parameters) = builder.normalization(self)
    let task = TaskMemory(
      LayerNormTask(
        channels: output.channels, input: builder.map(layer.node.inputs[0]),
        output: builder.mutableMap(layer.node.output), normalization: normalization),
      keeping: [builder.arena] + parameters)
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }

  /// Items are pixels (tokens).
  static let plain = PlainKernel<LayerNormTask>(
    name: "layernorm-f32", computes: "layer normalization", tolerance: .normalization
  ) { task, share in
    for token in share.items {
      unsafe PlainKernels.normalize(
        task.normalization, task.channels, task.input.base + token * task.input.pixelStride,
        task.output.base + token * task.output.pixelStride)
    }
  }
}

extension Value {
  /// Layer normalization over the channels of every pixel (token), biased variance.
  public func layerNorm(gamma: Tensor, beta: Tensor, epsilon: Float, name: String) -> Value {
    applying(LayerNorm(gamma: gamma.floats(), beta: beta.floats(), epsilon: epsilon), name: name)
  }
}
