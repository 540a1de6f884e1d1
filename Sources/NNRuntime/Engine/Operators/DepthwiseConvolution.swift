// Convolutions with one filter per channel: their kernels, which know no fusion but an activation and a residual.

import NNKernelInterface

extension Convolution {
  /// The algorithm and kernel for a convolution with one filter per channel.
  func depthwiseChoice(
    _ layer: PlacedNode, _ choosing: LayerChoice
  ) -> (AlgorithmChoice, LayerKernel) {
    let kernel = choosing.first(DepthwiseTask.self, layer.node)
    return (
      AlgorithmChoice(algorithm: .vector, reason: "one filter per channel"),
      .kernel(BoundKernel(kernel.fullName) { depthwiseStep(layer, kernel, $0) })
    )
  }

  private func depthwiseStep(
    _ layer: PlacedNode, _ kernel: Kernel<DepthwiseTask>, _ builder: StepBuilder
  ) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let positions = kernelHeight * kernelWidth
    let source = self.weights.floats()
    var filters = [Float](repeating: 0, count: positions * output.channels)
    for channel in 0..<output.channels {
      for position in 0..<positions {
        filters[position * output.channels + channel] =
          source[channel * positions + position] * (scale?[channel] ?? 1)
      }
    }
    let weights = FloatMemory(filters, count: filters.count + 16)
    let bias = FloatMemory(self.bias, count: self.bias.count + 16)
    let task = unsafe TaskMemory(
      DepthwiseTask(
        inHeight: input.height, inWidth: input.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, kernel: kernelHeight, stride: stride, padding: padding,
        input: builder.map(node.inputs[0]), output: builder.mutableMap(node.output),
        residual: storesSums ? nil : builder.map(node.inputs[1]), weights: weights.base, bias: bias.base,
        activation: activation), keeping: [weights, bias, builder.arena] + builder.operands)
    return builder.step(layer.index, kernel, task)
  }

  /// Items are as `DepthwiseTask.items`.
  static let plainDepthwise = PlainKernel<DepthwiseTask>(
    name: "depthwise-f32", computes: "one filter per channel", tolerance: .product
  ) { task, share in
    let (kernel, channels) = (task.kernel, task.channels)
    for item in share.items {
      let (block, y) = item.quotientAndRemainder(dividingBy: task.outHeight)
      let last = task.blocks == 1 ? channels : min(channels, 16 * block + 16)
      for x in 0..<task.outWidth {
        for channel in 16 * block..<last {
          var sum = unsafe task.bias[channel]
          for row in 0..<kernel {
            let inY = y * task.stride - task.padding + row
            guard inY >= 0 && inY < task.inHeight else { continue }
            for column in 0..<kernel {
              let inX = x * task.stride - task.padding + column
              guard inX >= 0 && inX < task.inWidth else { continue }
              let weight = unsafe task.weights[(row * kernel + column) * channels + channel]
              sum += task.input[inY, inX, channel] * weight
            }
          }
          var result = PlainKernels.activate(sum, task.activation)
          if let residual = task.residual { result += residual[y, x, channel] }
          task.output[y, x, channel] = result
        }
      }
    }
  }
}
