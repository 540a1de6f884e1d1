import NNKernelInterface

extension Value {
  /// x * sigmoid(x).
  public func silu(name: String) -> Value { activation(.silu, name: name) }

  /// max(x, 0).
  public func relu(name: String) -> Value { activation(.relu, name: name) }

  /// x where it is positive, slope * x elsewhere.
  public func leakyReLU(slope: Float, name: String) -> Value {
    activation(.leakyReLU(slope: slope), name: name)
  }

  /// x/2 * (1 + erf(x / sqrt 2)): the exact form, not the one with tanh.
  public func gelu(name: String) -> Value { activation(.gelu, name: name) }

  /// x * min(max(x + 3, 0), 6) / 6.
  public func hardSwish(name: String) -> Value { activation(.hardSwish, name: name) }

  /// The channels of this value and of `others` side by side; the maps are of one size.
  public func concatenated(with others: [Value], name: String) -> Value {
    builder.concatenate([self] + others, name: name)
  }
}
