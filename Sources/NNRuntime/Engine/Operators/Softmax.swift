import FileFormats
import NNKernelInterface

/// Softmax over the channels of every pixel, in groups of as many.
struct Softmax: VectorOperator {
  var groups = 1

  var name: String { "softmax" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { input.channels / groups }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard groups > 0, inputs[0].channels % groups == 0 else {
      throw .wrongAttributes("\(counted(groups, "group")) of \(counted(inputs[0].channels, "channel"))")
    }
    return inputs[0]
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<SoftmaxTask>, _ builder: StepBuilder) -> Step {
    let output = builder.shapes[layer.node.output]
    let task = TaskMemory(
      SoftmaxTask(
        width: output.width, channels: output.channels / groups, groups: groups,
        input: builder.map(layer.node.inputs[0]), output: builder.mutableMap(layer.node.output)),
      keeping: [builder.arena] + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }

  /// Items are pixels.
  static let plain = PlainKernel<SoftmaxTask>(
    name: "softmax-f32", computes: "softmax", tolerance: .function
  ) { task, share in
    for pixel in share.items {
      let (y, x) = (pixel / task.width, pixel % task.width)
      for first in stride(from: 0, to: task.groups * task.channels, by: task.channels) {
        unsafe PlainKernels.softmaxRow(
          task.input.pixel(y, x) + first, task.output.pixel(y, x) + first, count: task.channels, scale: 1)
      }
    }
  }
}

extension Value {
  /// Softmax over the channels of every pixel, or over each of `groups` of as many that follow each other.
  public func softmax(groups: Int = 1, name: String) -> Value {
    applying(Softmax(groups: groups), name: name)
  }
}
