/// Function applied to a sum before it is stored.
public enum Activation: Hashable, Sendable {
  /// x
  case none
  /// max(x, 0)
  case relu
  /// x where it is positive, slope * x elsewhere
  case leakyReLU(slope: Float)
  /// x * sigmoid(x)
  case silu
  /// x/2 * (1 + erf(x / sqrt 2))
  case gelu
  /// 1 / (1 + exp(-x))
  case sigmoid
  /// x * min(max(x + 3, 0), 6) / 6
  case hardSwish
  /// min(max(x, low), high) * scale + shift: ReLU6, hard sigmoid, a rectifier with a learned line after it
  case clip(low: Float, high: Float, scale: Float = 1, shift: Float = 0)

  /// Name in plans, profiles and traces.
  public var name: String {
    switch self {
    case .none: "none"
    case .relu: "relu"
    case .leakyReLU: "leakyrelu"
    case .silu: "silu"
    case .gelu: "gelu"
    case .sigmoid: "sigmoid"
    case .hardSwish: "hardswish"
    case .clip: "clip"
    }
  }

  /// Its class in `torch.nn`.
  public var moduleName: String {
    switch self {
    case .none: "Identity"
    case .relu: "ReLU"
    case .leakyReLU: "LeakyReLU"
    case .silu: "SiLU"
    case .gelu: "GELU"
    case .sigmoid: "Sigmoid"
    case .hardSwish: "Hardswish"
    case .clip: "Hardtanh"
    }
  }
}

extension Activation {
  /// The activation with scale * y + shift of its result y; nil where no activation is both.
  package func followed(byScale factor: Float, shift addend: Float) -> Activation? {
    switch self {
    case .relu: .clip(low: 0, high: .infinity, scale: factor, shift: addend)
    case .clip(let low, let high, let scale, let shift):
      .clip(low: low, high: high, scale: scale * factor, shift: shift * factor + addend)
    case .none, .leakyReLU, .silu, .gelu, .sigmoid, .hardSwish: nil
    }
  }
}

extension Activation: CaseIterable {
  /// One of each kind.
  public static var allCases: [Activation] {
    [
      .none, .relu, .leakyReLU(slope: 0.1), .silu, .gelu, .sigmoid, .hardSwish,
      .clip(low: -0.25, high: 1.5, scale: 0.75, shift: 0.5),
    ]
  }
}
