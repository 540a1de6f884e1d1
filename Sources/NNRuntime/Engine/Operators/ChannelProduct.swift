import NNKernelInterface

/// Every pixel of a map times a vector, channel by channel: the excitation of squeeze and excitation.
struct ChannelProduct: VectorOperator {
  /// The arguments of a kernel.
  struct Task {
    var width, channels: Int
    var map, vector: MapPointer
    var output: MutableMapPointer
  }

  var name: String { "channelproduct" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }

  func shape(of inputs: [MapShape], layer: String) -> MapShape {
    precondition(
      inputs[1] == MapShape(height: 1, width: 1, channels: inputs[0].channels),
      "\(layer): \(inputs[0]) by channels of \(inputs[1])")
    return inputs[0]
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let output = builder.shapes[node.output]
    let task = TaskMemory(
      Task(
        width: output.width, channels: output.channels, map: builder.map(node.inputs[0]),
        vector: builder.map(node.inputs[1]), output: builder.mutableMap(node.output)),
      keeping: [builder.arena] + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }

  /// Items are pixels.
  static let plain = PlainKernel<Task>(
    name: "channelproduct-f32", computes: "product of a map with a vector", tolerance: .product
  ) { task, share in
    for pixel in share.items {
      let (y, x) = (pixel / task.width, pixel % task.width)
      for channel in 0..<task.channels {
        task.output[y, x, channel] = task.map[y, x, channel] * task.vector[0, 0, channel]
      }
    }
  }
}

extension Value {
  /// Every pixel times `vector`, a map of one pixel with as many channels.
  public func multiplied(byChannelsOf vector: Value, name: String) -> Value {
    applying(ChannelProduct(), to: [vector], name: name)
  }
}
