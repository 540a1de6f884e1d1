import NNKernelInterface

/// How a map is resampled to another size.
public enum Interpolation: Hashable, Sendable {
  /// Each output pixel copies the input pixel that it falls in.
  case nearest
  /// Two taps an axis. `alignCorners` maps the centers of the corner pixels onto each other,
  /// src = i (in - 1) / (out - 1); else src = (i + 1/2) in / out - 1/2, clamped below at 0.
  case bilinear(alignCorners: Bool)
  /// Four taps an axis with A = -0.75, half-pixel coordinates, taps clamped to the border.
  case bicubic
}

/// A map resampled to another size, and a second input of that size added to it where there is one.
package struct Resize: VectorOperator {
  package var interpolation: Interpolation
  package var height, width: Int
  /// Whether places in the input are computed as quotients, as ONNX Runtime does it: they are rounded otherwise than
  /// PyTorch's products.
  package var dividesPlaces = false

  package var parameterCount: Int { 0 }
  package func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  package var elementwiseStep: ElementwiseStep { .none }
  package var multiples: ResultMultiples { .any }

  package var name: String {
    switch interpolation {
    case .nearest: "nearest"
    case .bilinear: "bilinear"
    case .bicubic: "bicubic"
    }
  }

  package func longestSum(of input: MapShape) -> Int {
    switch interpolation {
    case .nearest: 1
    case .bilinear: 4
    case .bicubic: 16
    }
  }

  package func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    try .result(height: height, width: width, channels: inputs[0].channels)
  }

  package func step(_ layer: PlacedNode, _ kernel: Kernel<ResizeTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let (resampling, tables) = builder.resampling(input, self)
    let task = TaskMemory(
      ResizeTask(
        inHeight: input.height, inWidth: input.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, resampling: resampling, input: builder.map(node.inputs[0]),
        residual: node.inputs.count > 1 ? builder.map(node.inputs[1]) : nil,
        output: builder.mutableMap(node.output)), keeping: [builder.arena] + tables + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.height, together: builder.rowsTogether(output))
  }

  /// Items are output rows.
  static let plain = PlainKernel<ResizeTask>(name: "resize-f32", computes: "resize", tolerance: .product) {
    task, share in
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<task.channels {
          var sum = PlainKernels.resampled(task.input, task.resampling, y, x, channel)
          if let residual = task.residual { sum += residual[y, x, channel] }
          task.output[y, x, channel] = sum
        }
      }
    }
  }
}

extension Value {
  /// The map resampled to another size.
  public func resized(height: Int, width: Int, _ interpolation: Interpolation, name: String) -> Value {
    resized(height: height, width: width, interpolation, dividesPlaces: false, name: name)
  }

  /// The same with places in the map as quotients or as products.
  package func resized(
    height: Int, width: Int, _ interpolation: Interpolation, dividesPlaces: Bool, name: String
  ) -> Value {
    applying(
      Resize(interpolation: interpolation, height: height, width: width, dividesPlaces: dividesPlaces),
      name: name)
  }
}
