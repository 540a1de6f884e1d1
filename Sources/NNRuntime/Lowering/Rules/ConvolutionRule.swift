import NNRuntime
import ONNX

/// `Conv` of one or two axes with known weights, in any groups, with any strides, dilations and paddings.
enum ConvolutionRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let x = operands.settled(0), let kernel = operands.constant(1), var weights = operands.weights(1),
      x.shape.count == kernel.shape.count, x.shape.count == 3 || x.shape.count == 4,
      let value = operands.island.map(x, operands.name), operands.hasBias(of: kernel.shape[0]),
      node.step.ints("kernel_shape") ?? Array(kernel.shape[2...]) == Array(kernel.shape[2...]),
      let windows = try? node.step.windows(over: Array(x.shape[2...]), kernel: Array(kernel.shape[2...]))
    else { return nil }
    let isRow = x.shape.count == 3
    let groups = node.step.int("group") ?? 1
    let bytes = operands.byteWeights(1, outputs: 0)
    if let bytes { weights = bytes.integers }
    if isRow { weights = weights.reshaped([kernel.shape[0], kernel.shape[1], 1, kernel.shape[2]]) }
    let form = ConvolutionForm(
      weights: weights, scale: bytes?.scale, bias: operands.weights(2), groups: groups,
      down: ConvolutionForm.Axis(windows, isRow ? nil : 0),
      across: ConvolutionForm.Axis(windows, isRow ? 0 : 1))
    guard let made = form.applied(to: value, operands.name, operands) else { return nil }
    return [operands.island.tensor(made, rank: x.shape.count)]
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
