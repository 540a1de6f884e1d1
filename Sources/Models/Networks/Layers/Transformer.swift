import NNRuntime

/// y = W x + b on every token.
struct Linear: Sendable {
  private let weight, bias: Tensor
  private let path: String

  /// Binds `weight` (outputs, inputs) and `bias`.
  init(_ weights: WeightScope, _ inputs: Int, _ outputs: Int) throws(WeightError) {
    weight = try weights.tensor("weight", shape: [outputs, inputs])
    bias = try weights.tensor("bias", shape: [outputs])
    path = weights.prefix
    weights.states(.linear(inputs, outputs))
  }

  func callAsFunction(_ x: Value) -> Value { x.linear(weight, bias: bias, name: path) }
}

/// Layer normalization over the channels of every token.
struct LayerNorm: Sendable {
  /// Vision transformers are trained with 1e-6; the framework's default is 1e-5.
  static let epsilon: Float = 1e-6

  private let gamma, beta: Tensor
  private let path: String

  /// Binds `weight` and `bias`, one per channel.
  init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    gamma = try weights.tensor("weight", shape: [channels])
    beta = try weights.tensor("bias", shape: [channels])
    path = weights.prefix
    weights.states(
      ModuleStatement(
        "LayerNorm", from: .torch,
        numbers: [
          "normalized_shape": .count(channels), "eps": .number(1e-6), "elementwise_affine": .flag(true),
        ]))
  }

  /// Nodes are called after the module; `use` tells several uses of one module apart.
  func callAsFunction(_ x: Value, use: String = "") -> Value {
    x.layerNorm(gamma: gamma, beta: beta, epsilon: Self.epsilon, name: path + use)
  }
}

/// A learned factor for each channel of a residual branch.
struct LayerScale: Sendable {
  private let gamma: Tensor
  private let path: String

  /// Binds `gamma`, one per channel.
  init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    gamma = try weights.tensor("gamma", shape: [channels])
    path = weights.prefix
    weights.states(ModuleStatement("LayerScale"))
  }

  func callAsFunction(_ x: Value) -> Value { x.scaled(by: gamma, name: path) }
}
