import NNRuntime

/// Convolution blocks, then a plain 1x1 convolution with bias.
struct Branch: Sendable {
  private let blocks: [ConvBlock]
  private let last: Conv2d

  /// Two 3x3 convolutions.
  ///
  /// `last`: the weights of the last convolution, where they have a place of their own.
  static func dense(
    _ weights: WeightScope, _ inputs: Int, hidden: Int, outputs: Int, last: WeightScope? = nil
  ) throws(WeightError) -> Branch {
    Branch(
      blocks: [
        try ConvBlock(weights[0], inputs, hidden, kernel: 3),
        try ConvBlock(weights[1], hidden, hidden, kernel: 3),
      ], last: try Conv2d(last ?? weights[2], hidden, outputs))
  }

  /// Twice a depthwise 3x3 and a 1x1 convolution.
  static func separable(
    _ weights: WeightScope, _ inputs: Int, hidden: Int, outputs: Int
  ) throws(WeightError) -> Branch {
    Branch(
      blocks: [
        try ConvBlock(weights[0][0], inputs, inputs, kernel: 3, groups: inputs),
        try ConvBlock(weights[0][1], inputs, hidden),
        try ConvBlock(weights[1][0], hidden, hidden, kernel: 3, groups: hidden),
        try ConvBlock(weights[1][1], hidden, hidden),
      ], last: try Conv2d(weights[2], hidden, outputs))
  }

  func callAsFunction(_ x: Value) -> Value { last(blocks.reduce(x) { $1($0) }) }
}
