import FileFormats
import NNKernelInterface

/// A convolution with a window of any stride, padding and dilation, or a transposed one, in groups of channels.
///
/// No other layer is fused into it: `Convolution` is the form that fast kernels compute.
struct GroupedConvolution: VectorOperator {
  /// (out, in / groups, height, width); transposed: (in, out / groups, height, width).
  var weights: Tensor
  var bias: [Float]
  var groups: Int
  var window: Window
  var isTransposed: Bool

  /// The arguments of a kernel.
  @safe struct Task {
    var inHeight, inWidth, inChannels, outWidth, outChannels: Int
    var groups: Int
    var window: Window
    var isTransposed: Bool
    var input: MapPointer
    var output: MutableMapPointer
    var weights, bias: UnsafePointer<Float>
  }

  private var perGroup: Int { weights.shape[1] }
  private var outChannels: Int { isTransposed ? weights.shape[1] * groups : weights.shape[0] }

  var name: String { isTransposed ? "grouped-convtranspose" : "grouped-conv" }
  var parameterCount: Int { weights.count + bias.count }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func longestSum(of input: MapShape) -> Int { window.height * window.width * input.channels / groups }

  func operations(_ node: Node, _ shapes: [MapShape]) -> Double {
    // Each weight meets each pixel of the output, or of the input of a transposed one.
    let pixels = shapes[isTransposed ? node.inputs[0] : node.output].pixels
    return 2 * Double(pixels) * Double(weights.count)
  }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let channels = inputs[0].channels
    guard groups > 0, channels % groups == 0 else {
      throw .wrongAttributes("\(counted(groups, "group")) of \(counted(channels, "channel"))")
    }
    guard weights.shape[2] == window.height, weights.shape[3] == window.width,
      isTransposed
        ? weights.shape[0] == channels : perGroup == channels / groups && outChannels % groups == 0
    else {
      let order = isTransposed ? "(\(channels), out / \(groups)" : "(out, \(channels / groups)"
      throw .wrongWeights(
        found: weights.shape,
        needed: "\(order), \(window.height), \(window.width)) is needed for \(inputs[0])")
    }
    guard bias.count == outChannels else {
      throw .wrongWeights(
        found: [bias.count], needed: "one bias for each of \(counted(outChannels, "channel")) is needed")
    }
    let (height, width) =
      isTransposed ? try window.transposedSize(on: inputs[0]) : try window.size(on: inputs[0])
    return try .result(height: height, width: width, channels: outChannels)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let (weights, bias) = (FloatMemory(self.weights.floats()), FloatMemory(self.bias))
    let task = unsafe TaskMemory(
      Task(
        inHeight: input.height, inWidth: input.width, inChannels: input.channels, outWidth: output.width,
        outChannels: output.channels, groups: groups, window: window, isTransposed: isTransposed,
        input: builder.map(node.inputs[0]), output: builder.mutableMap(node.output), weights: weights.base,
        bias: bias.base), keeping: [weights, bias, builder.arena] + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.height, together: builder.rowsTogether(output))
  }

  /// Items are output rows.
  static let plain = PlainKernel<Task>(
    name: "grouped-conv-f32", computes: "convolution in groups, any window", tolerance: .product
  ) { task, share in
    for y in share.items {
      for x in 0..<task.outWidth {
        for channel in 0..<task.outChannels {
          task.output[y, x, channel] = task.sum(y, x, channel)
        }
      }
    }
  }
}

extension GroupedConvolution.Task {
  /// An element of the result, summed up in double precision.
  fileprivate func sum(_ y: Int, _ x: Int, _ channel: Int) -> Float {
    let (inGroup, outGroup) = (inChannels / groups, outChannels / groups)
    let first = channel / outGroup * inGroup
    let positions = window.height * window.width
    var sum = unsafe Double(bias[channel])
    for row in 0..<window.height {
      guard let inY = place(y, row, window.strideDown, window.top, window.dilationDown, inHeight) else {
        continue
      }
      for column in 0..<window.width {
        guard
          let inX = place(x, column, window.strideAcross, window.left, window.dilationAcross, inWidth)
        else { continue }
        for index in 0..<inGroup {
          let filter =
            isTransposed
            ? (first + index) * outGroup + channel % outGroup : channel * inGroup + index
          let weight = unsafe weights[filter * positions + row * window.width + column]
          sum += Double(input[inY, inX, first + index]) * Double(weight)
        }
      }
    }
    return Float(sum)
  }

  /// Where along an axis a place of the window lies on the input, for the output pixel at `output`; nil beyond it.
  private func place(
    _ output: Int, _ tap: Int, _ stride: Int, _ padding: Int, _ dilation: Int, _ size: Int
  ) -> Int? {
    var place = output * stride - padding + tap * dilation
    if isTransposed {
      place = output + padding - tap * dilation
      guard place >= 0, place % stride == 0 else { return nil }
      place /= stride
    }
    return place >= 0 && place < size ? place : nil
  }
}

extension Value {
  /// Cross-correlation in groups of channels, with zero padding, each axis and side for itself.
  ///
  /// `weights` is (out, in / groups, window's height, width); `bias` has one element per output channel.
  public func convolution(
    _ weights: Tensor, bias: Tensor? = nil, over window: Window, groups: Int, name: String
  ) -> Value {
    guard weights.shape.count == 4 else {
      return failed(
        .wrongWeights(found: weights.shape, needed: "(out, in / groups, height, width) is needed"), name)
    }
    let isDepthwise = groups > 1 && groups == shape.channels && groups == weights.shape[0]
    if let (stride, padding, trailing) = window.trailing, !isDepthwise || window.height == window.width,
      weights.shape[2] == window.height, weights.shape[3] == window.width
    {
      return convolution(
        weights, bias: bias, stride: stride, padding: padding, trailing: trailing, groups: groups, name: name)
    }
    return grouped(weights, bias, groups, window, isTransposed: false, name)
  }

  /// The transpose of such a convolution, which makes a map whose windows are this one's pixels.
  ///
  /// `weights` is (in, out / groups, window's height, width); paddings are taken off the result.
  public func transposedConvolution(
    _ weights: Tensor, bias: Tensor? = nil, over window: Window, groups: Int, name: String
  ) -> Value {
    guard weights.shape.count == 4 else {
      return failed(
        .wrongWeights(found: weights.shape, needed: "(in, out / groups, height, width) is needed"), name)
    }
    if let (stride, padding) = window.even, groups == 1, padding == 0, stride == window.height,
      stride == window.width
    {
      return transposedConvolution(weights, bias: bias, stride: stride, name: name)
    }
    return grouped(weights, bias, groups, window, isTransposed: true, name)
  }

  private func grouped(
    _ weights: Tensor, _ bias: Tensor?, _ groups: Int, _ window: Window, isTransposed: Bool, _ name: String
  ) -> Value {
    guard groups > 0, shape.channels % groups == 0 else {
      return failed(
        .wrongAttributes("\(counted(groups, "group")) of \(counted(shape.channels, "channel"))"), name)
    }
    let (outChannels, overflows) =
      isTransposed ? weights.shape[1].multipliedReportingOverflow(by: groups) : (weights.shape[0], false)
    guard !overflows, (0...MapShape.mostAlongSide).contains(outChannels) else {
      return failed(
        .wrongAttributes("\(counted(groups, "group")) of \(counted(shape.channels, "channel"))"), name)
    }
    let bias = bias?.floats() ?? [Float](repeating: 0, count: outChannels)
    return applying(
      GroupedConvolution(
        weights: weights, bias: bias, groups: groups, window: window, isTransposed: isTransposed), name: name)
  }
}
