// The head of YOLO classifiers, named as in Ultralytics 8.4.190 (`nn/modules/head.py`).

import NNRuntime

/// `Classify`: one convolution, the mean over the map, one linear layer.
///
/// Deviation: the mean of a channel is a depthwise convolution as large as the map, so that kernels that are there
/// compute it.
package struct ClassifyHead: Sendable {
  /// Channels before the linear layer, of every network.
  private static let hidden = 1280

  private let conv: ConvBlock
  private let linear: Linear
  private let path: String

  package init(_ weights: WeightScope, _ inputs: Int, classes: Int) throws(WeightError) {
    conv = try ConvBlock(weights["conv"], inputs, Self.hidden)
    linear = try Linear(weights["linear"], Self.hidden, classes)
    path = weights.prefix
    weights.states(ModuleStatement("Classify"))
    weights["pool"].states(
      ModuleStatement("AdaptiveAvgPool2d", from: .torch, numbers: ["output_size": .number(1)]))
  }

  /// Logits, 1 x 1 x classes, of a square map.
  package func callAsFunction(_ x: Value) -> Value {
    let y = conv(x)
    let side = y.shape.height
    precondition(side == y.shape.width, "a classifier's map is square")
    let share = Tensor(
      shape: [Self.hidden, 1, side, side],
      floats: [Float](repeating: 1 / Float(side * side), count: Self.hidden * side * side))
    return linear(y.convolution(share, groups: Self.hidden, name: "\(path).pool"))
  }
}
