import NNKernelInterface

/// Every pixel of a map times a vector, channel by channel: the excitation of squeeze and excitation.
///
/// That is a depthwise convolution of 1x1 whose weights are the vector.
struct ChannelProduct: VectorOperator {
  var name: String { "channelproduct" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .addend }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard inputs[1] == MapShape(height: 1, width: 1, channels: inputs[0].channels) else {
      throw .wrongInputs(inputs, needed: "the second must be 1x1 with the channels of the first")
    }
    return inputs[0]
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<DepthwiseTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let output = builder.shapes[node.output]
    let task = unsafe TaskMemory(
      DepthwiseTask(
        inHeight: output.height, inWidth: output.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, kernel: 1, stride: 1, padding: 0, input: builder.map(node.inputs[0]),
        output: builder.mutableMap(node.output), residual: nil,
        weights: UnsafePointer(builder.pointer(node.inputs[1])), bias: builder.zeros.base, activation: .none),
      keeping: [builder.arena, builder.zeros] + builder.operands)
    return builder.step(layer.index, kernel, task)
  }
}

extension Value {
  /// Every pixel times `vector`, a map of one pixel with as many channels.
  public func multiplied(byChannelsOf vector: Value, name: String) -> Value {
    applying(ChannelProduct(), to: [vector], name: name)
  }
}
