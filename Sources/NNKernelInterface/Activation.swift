/// What is applied to a sum before it is stored.
public enum Activation: UInt8, Sendable, CaseIterable {
  /// x
  case none
  /// max(x, 0)
  case relu
  /// x * sigmoid(x)
  case silu
  /// x/2 * (1 + erf(x / sqrt 2))
  case gelu
  /// 1 / (1 + exp(-x))
  case sigmoid
}
