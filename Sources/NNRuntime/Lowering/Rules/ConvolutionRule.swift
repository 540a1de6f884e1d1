import NNRuntime
import ONNX

/// `Conv` of one or two axes with known weights, in any groups, with any strides, dilations and paddings.
enum ConvolutionRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let x = operands.settled(0), let kernel = operands.constant(1), var weights = operands.weights(1),
      x.shape.count == kernel.shape.count, x.shape.count == 3 || x.shape.count == 4,
      operands.hasBias(of: kernel.shape[0]),
      node.step.ints("kernel_shape") ?? Array(kernel.shape[2...]) == Array(kernel.shape[2...]),
      let windows = try? node.step.windows(over: Array(x.shape[2...]), kernel: Array(kernel.shape[2...]))
    else { return nil }
    let isRow = x.shape.count == 3
    let groups = node.step.int("group") ?? 1
    let bytes = operands.byteWeights(1, outputs: 0)
    if let bytes { weights = bytes.integers }
    if groups == 1, x.shape[1] == kernel.shape[1], windows.isPointwise,
      let made = inGroups(x, weights, bytes?.scale, operands)
    {
      return [made]
    }
    guard let value = operands.island.map(x, operands.name) else { return nil }
    if isRow { weights = weights.reshaped([kernel.shape[0], kernel.shape[1], 1, kernel.shape[2]]) }
    let form = ConvolutionForm(
      weights: weights, scale: bytes?.scale, bias: operands.weights(2), groups: groups,
      down: ConvolutionForm.Axis(windows, isRow ? nil : 0),
      across: ConvolutionForm.Axis(windows, isRow ? 0 : 1))
    guard let made = form.applied(to: value, operands.name, operands) else { return nil }
    return [operands.island.tensor(made, rank: x.shape.count)]
  }
}

extension ConvolutionRule {
  /// A product over pixels where a pixel of the map holds several of them: one for each group of channels.
  private static func inGroups(
    _ x: Lowered, _ weights: WeightTensor, _ scale: [Float]?, _ operands: Operands
  ) -> Lowered? {
    guard let (found, groups) = operands.island.inGroups(x, channels: 1, operands.name), groups <= mostGroups
    else { return nil }
    let (made, size) = (weights.shape[0], weights.shape[1])
    func repeated(_ numbers: [Float]) -> [Float] { (0..<groups).flatMap { _ in numbers } }
    let map = found.map
    let form = ConvolutionForm(
      weights: WeightTensor(shape: [groups * made, size, 1, 1], floats: repeated(weights.floats())),
      scale: scale.map(repeated),
      bias: operands.weights(2).map {
        WeightTensor(shape: [groups * made], floats: repeated($0.floats()))
      },
      groups: groups,
      down: ConvolutionForm.Axis(stride: 1, dilation: 1, before: 0, after: 0, output: map.height),
      across: ConvolutionForm.Axis(stride: 1, dilation: 1, before: 0, after: 0, output: map.width))
    var axes = found.view.axes.map { axis in
      axis.map { Factor(size: $0.size, stride: $0.stride / size * made) }
    }
    axes[1] = [Factor(size: made, stride: 1)]
    return form.applied(to: found.value, operands.name, operands).map {
      Lowered(value: $0, view: StridedView(axes: axes))
    }
  }

  /// Most copies of a kernel.
  private static let mostGroups = 16
}

extension StepWindows {
  /// Whether each window is a pixel, and all are read.
  fileprivate var isPointwise: Bool {
    (kernel + strides).allSatisfy { $0 == 1 } && (before + after).allSatisfy { $0 == 0 }
  }
}

extension ConvolutionForm.Axis {
  /// An axis of windows; nil: one of a single row.
  fileprivate init(_ windows: StepWindows, _ axis: Int?) {
    guard let axis else {
      self.init(stride: nil, dilation: 1, before: 0, after: 0, output: 1)
      return
    }
    self.init(
      stride: windows.strides[axis], dilation: windows.dilations[axis], before: windows.before[axis],
      after: windows.after[axis], output: windows.output[axis])
  }
}
