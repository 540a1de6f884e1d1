import NNRuntime

/// A plain convolution with padding kernel / 2: no normalization, no activation.
struct Conv2d: Sendable {
  private let weight: Tensor
  private let bias: Tensor?
  private let stride, padding: Int
  private let path: String

  /// Binds `weight` (outputs, inputs, kernel, kernel) and, by default, `bias`.
  ///
  /// `padding`: zeros beyond every edge; kernel / 2 if nil.
  init(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, kernel: Int = 1, stride: Int = 1,
    padding: Int? = nil, bias hasBias: Bool = true
  ) throws(WeightError) {
    weight = try weights.tensor("weight", shape: [outputs, inputs, kernel, kernel])
    bias = hasBias ? try weights.tensor("bias", shape: [outputs]) : nil
    self.stride = stride
    self.padding = padding ?? kernel / 2
    path = weights.prefix
    weights.states(
      .convolution(inputs, outputs, kernel: kernel, stride: stride, padding: self.padding))
  }

  func callAsFunction(_ x: Value) -> Value {
    x.convolution(weight, bias: bias, stride: stride, padding: padding, name: path)
  }
}

/// A transposed convolution whose kernel is its stride, with bias.
struct ConvTranspose2d: Sendable {
  private let weight, bias: Tensor
  private let stride: Int
  private let path: String

  /// Binds `weight`, which is (inputs, outputs, stride, stride), and `bias`.
  init(_ weights: WeightScope, _ inputs: Int, _ outputs: Int, stride: Int) throws(WeightError) {
    weight = try weights.tensor("weight", shape: [inputs, outputs, stride, stride])
    bias = try weights.tensor("bias", shape: [outputs])
    self.stride = stride
    path = weights.prefix
    weights.states(
      .convolution(inputs, outputs, kernel: stride, stride: stride, padding: 0, isTransposed: true))
  }

  func callAsFunction(_ x: Value) -> Value {
    x.transposedConvolution(weight, bias: bias, stride: stride, name: path)
  }
}
