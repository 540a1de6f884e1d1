/// How a pixel (token) is normalized over its channels: out = (x - mean) / sqrt(variance + epsilon) * gamma + beta.
public struct Normalization {
  /// One per channel.
  public var gamma, beta: UnsafePointer<Float>
  /// Added to the variance inside the root.
  public var epsilon: Float

  /// A normalization with the given parameters.
  public init(gamma: UnsafePointer<Float>, beta: UnsafePointer<Float>, epsilon: Float) {
    self.gamma = gamma
    self.beta = beta
    self.epsilon = epsilon
  }
}

/// A layer normalization, a token at a time.
public struct LayerNormTask {
  /// Channels a pixel.
  public var channels: Int
  /// Token rows: only `pixelStride` counts.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// Normalization of each.
  public var normalization: Normalization

  /// A layer normalization on the given memory.
  public init(channels: Int, input: MapPointer, output: MutableMapPointer, normalization: Normalization) {
    self.channels = channels
    self.input = input
    self.output = output
    self.normalization = normalization
  }
}
