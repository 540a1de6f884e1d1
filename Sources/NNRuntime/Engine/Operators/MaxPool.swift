import NNKernelInterface

/// The maximum over a square window; the padding counts as minus infinity.
struct MaxPool: VectorOperator {
  var edge, stride, padding: Int

  var name: String { "maxpool" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .ofInputs }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let (height, width) = try Window(height: edge, width: edge, stride: stride, padding: padding)
      .size(on: inputs[0])
    guard 2 * padding <= edge else {
      throw .wrongAttributes("a padding of \(padding) with a window of \(edge): half of it is the most")
    }
    return try .result(height: height, width: width, channels: inputs[0].channels)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<PoolTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let task = TaskMemory(
      PoolTask(
        inHeight: input.height, inWidth: input.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, kernel: edge, stride: stride, padding: padding,
        input: builder.map(node.inputs[0]), output: builder.mutableMap(node.output)),
      keeping: [builder.arena])
    return builder.step(
      layer.index, kernel, task, items: output.height, together: builder.rowsTogether(output))
  }

  /// Items are output rows.
  static let plain = PlainKernel<PoolTask>(name: "maxpool-f32", computes: "max-pool", tolerance: .exact) {
    task, share in
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<task.channels {
          var best = -Float.infinity
          for row in 0..<task.kernel {
            let inY = y * task.stride - task.padding + row
            guard inY >= 0 && inY < task.inHeight else { continue }
            for column in 0..<task.kernel {
              let inX = x * task.stride - task.padding + column
              guard inX >= 0 && inX < task.inWidth else { continue }
              best = max(best, task.input[inY, inX, channel])
            }
          }
          task.output[y, x, channel] = best
        }
      }
    }
  }
}

extension Value {
  /// Maximum over a square window; the padding counts as minus infinity.
  public func maxPool(kernel: Int, stride: Int, padding: Int, name: String) -> Value {
    applying(MaxPool(edge: kernel, stride: stride, padding: padding), name: name)
  }
}
