import NNKernelInterface

/// The mean over a window.
struct AveragePool: VectorOperator {
  var window: Window
  /// Whether pixels beyond the map count as zeros; else means are over the pixels inside.
  var countsPadding: Bool

  /// The arguments of a kernel.
  struct Task {
    var inHeight, inWidth, outWidth, channels: Int
    var window: Window
    var countsPadding: Bool
    var input: MapPointer
    var output: MutableMapPointer
  }

  var name: String { "averagepool" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { window.height * window.width }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let (height, width) = try window.size(on: inputs[0])
    guard max(window.top, window.bottom) < window.reach.down,
      max(window.left, window.right) < window.reach.across
    else { throw .wrongAttributes("a padding as large as the window: \(window)") }
    return try .result(height: height, width: width, channels: inputs[0].channels)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let task = TaskMemory(
      Task(
        inHeight: input.height, inWidth: input.width, outWidth: output.width, channels: output.channels,
        window: window, countsPadding: countsPadding, input: builder.map(node.inputs[0]),
        output: builder.mutableMap(node.output)), keeping: [builder.arena] + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.height, together: builder.rowsTogether(output))
  }

  /// Items are output rows.
  static let plain = PlainKernel<Task>(
    name: "averagepool-f32", computes: "average pool", tolerance: .product
  ) { task, share in
    let window = task.window
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<task.channels {
          var (sum, count) = (0.0, 0)
          for row in 0..<window.height {
            let inY = y * window.strideDown - window.top + row * window.dilationDown
            guard inY >= 0 && inY < task.inHeight else { continue }
            for column in 0..<window.width {
              let inX = x * window.strideAcross - window.left + column * window.dilationAcross
              guard inX >= 0 && inX < task.inWidth else { continue }
              sum += Double(task.input[inY, inX, channel])
              count += 1
            }
          }
          let pixels = task.countsPadding ? window.height * window.width : max(1, count)
          task.output[y, x, channel] = Float(sum / Double(pixels))
        }
      }
    }
  }
}

extension Value {
  /// The mean over a window; pixels beyond the map count as zeros if `countsPadding`, else not at all.
  public func averagePool(_ window: Window, countsPadding: Bool = false, name: String) -> Value {
    applying(AveragePool(window: window, countsPadding: countsPadding), name: name)
  }

  /// The mean of each channel over all pixels: a map of one pixel.
  public func globalAveragePool(name: String) -> Value {
    averagePool(Window(height: shape.height, width: shape.width), name: name)
  }
}
