#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Functions of each element that networks put after their layers.
  static let activations: [Operator] = [
    Operator("Relu", inputs: 1...1) { try mapped($0.tensor(0), Rectified()) },
    Operator("Sigmoid", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type == .float else { return try mapped(tensor) { sigmoid($0) } }
      return Tensor(
        tensor.shape,
        FloatLoops.mappedByEight(tensor.array(of: Float.self)) { 1 / (1 + exponential(-$0)) })
    },
    activation("HardSigmoid", ["alpha", "beta"]) { call in
      let (alpha, beta) = (try call.float("alpha", default: 0.2), try call.float("beta", default: 0.5))
      return { max(0, min(1, alpha * $0 + beta)) }
    },
    activation("HardSwish") { _ in { $0 * max(0, min(1, $0 / 6 + 0.5)) } },
    activation("LeakyRelu", ["alpha"]) { call in
      let alpha = try call.float("alpha", default: 0.01)
      return { $0 < 0 ? alpha * $0 : $0 }
    },
    activation("Elu", ["alpha"]) { call in
      let alpha = try call.float("alpha", default: 1)
      return { $0 < 0 ? alpha * (exp($0) - 1) : $0 }
    },
    activation("Celu", ["alpha"]) { call in
      let alpha = try call.float("alpha", default: 1)
      return { max(0, $0) + min(0, alpha * (exp($0 / alpha) - 1)) }
    },
    activation("Selu", ["alpha", "gamma"]) { call in
      let alpha = try call.float("alpha", default: call.version < 6 ? 1.6732 : 1.67326319217681884765625)
      let gamma = try call.float("gamma", default: call.version < 6 ? 1.0507 : 1.05070102214813232421875)
      return { $0 > 0 ? gamma * $0 : gamma * (alpha * exp($0) - alpha) }
    },
    activation("Softplus") { _ in { $0 > 30 ? $0 : log1p(exp($0)) } },
    activation("Softsign") { _ in { $0 / (1 + abs($0)) } },
    activation("Mish") { _ in { $0 * tanh($0 > 30 ? $0 : log1p(exp($0))) } },
    activation("ThresholdedRelu", ["alpha"]) { call in
      let alpha = try call.float("alpha", default: 1)
      return { $0 > alpha ? $0 : 0 }
    },
    activation("Swish", ["alpha"]) { call in
      let alpha = try call.float("alpha", default: 1)
      return { $0 * sigmoid(alpha * $0) }
    },
    activation("Gelu", ["approximate"]) { call in
      if try call.choice("approximate", ["none", "tanh"]) == "tanh" {
        return { 0.5 * $0 * (1 + tanh((2 / Double.pi).squareRoot() * ($0 + 0.044715 * $0 * $0 * $0))) }
      }
      return { 0.5 * $0 * (1 + erf($0 / 2.0.squareRoot())) }
    },
    Operator("Shrink", ["bias", "lambd"], inputs: 1...1) { call in
      let (bias, limit) = (try call.float("bias", default: 0), try call.float("lambd", default: 0.5))
      let tensor = try call.tensor(0)
      return Tensor(
        tensor.type, tensor.shape,
        doubles: tensor.doubles().map { $0 < -limit ? $0 + bias : $0 > limit ? $0 - bias : 0 })
    },
    Operator("PRelu", inputs: 2...2) { call in
      let (tensor, slope) = (try call.tensor(0), try call.tensor(1))
      // Up to version 6 a list of slopes is one for each channel.
      let isPerChannel = call.version < 7 && slope.rank == 1 && tensor.rank > 2 && slope.count > 1
      let fitting =
        isPerChannel
        ? slope.reshaped([slope.count] + [Int](repeating: 1, count: tensor.rank - 2)) : slope
      let pair = try Pair(tensor, fitting)
      guard pair.shape == tensor.shape else {
        throw ONNXError.malformed("the slopes do not broadcast to the input")
      }
      return try pair.numbers(Sloped())
    },
  ]

  private static func activation(
    _ name: String, _ attributes: [String] = [],
    _ body: @escaping @Sendable (Call) throws -> @Sendable (Double) -> Double
  ) -> Operator {
    Operator(name, attributes, inputs: 1...1) { try mapped($0.tensor(0), body($0)) }
  }

  private struct Rectified: NumberMap {
    func apply<T: Number>(_ value: T) -> T { value < T.blank ? T.blank : value }
  }
  private struct Sloped: NumberPair {
    func apply<T: Number>(_ a: T, _ b: T) -> T { a < T.blank ? T.multiply(a, b) : a }
  }
}

func sigmoid(_ value: Double) -> Double {
  value >= 0 ? 1 / (1 + exp(-value)) : exp(value) / (1 + exp(value))
}
