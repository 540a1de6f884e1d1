/// A layer normalisation: out = (x - mean) / sqrt(variance + epsilon) * gamma + beta, a token at a time.
public struct LayerNormTask {
  /// Channels a pixel.
  public var channels: Int
  /// Added to the variance inside the root.
  public var epsilon: Float
  /// Token rows: only `pixelStride` counts.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// One a channel.
  public var gamma, beta: UnsafePointer<Float>

  /// A layer normalisation on the given memory.
  public init(
    channels: Int, epsilon: Float, input: MapPointer, output: MutableMapPointer, gamma: UnsafePointer<Float>,
    beta: UnsafePointer<Float>
  ) {
    self.channels = channels
    self.epsilon = epsilon
    self.input = input
    self.output = output
    self.gamma = gamma
    self.beta = beta
  }
}
