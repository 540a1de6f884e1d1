import NNKernelInterface

/// Softmax over the channels of every pixel.
struct Softmax: VectorOperator {
  var name: String { "softmax" }
  var parameterCount: Int { 0 }
  func shape(of inputs: [MapShape]) -> MapShape { inputs[0] }
  func longestSum(of input: MapShape) -> Int { input.channels }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func step(_ layer: PlacedNode, _ kernel: Kernel<SoftmaxTask>, _ builder: StepBuilder) -> Step {
    let output = builder.shapes[layer.node.output]
    let task = TaskMemory(
      SoftmaxTask(
        width: output.width, channels: output.channels, input: builder.map(layer.node.inputs[0]),
        output: builder.mutableMap(layer.node.output)), keeping: [builder.arena] + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }

  /// Items are pixels.
  static let plain = PlainKernel<SoftmaxTask>(
    name: "softmax-f32", computes: "softmax", tolerance: .function
  ) { task, share in
    for pixel in share.items {
      let (y, x) = (pixel / task.width, pixel % task.width)
      unsafe PlainKernels.softmaxRow(
        task.input.pixel(y, x), task.output.pixel(y, x), count: task.channels, scale: 1)
    }
  }
}

extension Value {
  /// Softmax over the channels of every pixel.
  public func softmax(name: String) -> Value { applying(Softmax(), name: name) }
}
