#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Functions of each element by itself.
  static let unaryFunctions: [Operator] = [
    number("Abs", Absolute()), number("Neg", Negative()), number("Sign", Signum()),
    function("Ceil") { $0.rounded(.up) }, function("Floor") { $0.rounded(.down) },
    function("Round") { $0.rounded(.toNearestOrEven) },
    function("Sqrt") { $0.squareRoot() }, function("Log", log),
    Operator("Exp", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type == .float else { return try mapped(tensor) { exp($0) } }
      return Tensor(
        tensor.shape, FloatLoops.mappedByEight(tensor.array(of: Float.self)) { exponential($0) })
    },
    function("Reciprocal") { 1 / $0 },
    function("Sin", sin), function("Cos", cos), function("Tan", tan), function("Asin", asin),
    function("Acos", acos), function("Atan", atan), function("Sinh", sinh), function("Cosh", cosh),
    function("Tanh", tanh), function("Asinh", asinh), function("Acosh", acosh), function("Atanh", atanh),
    function("Erf", erf),
    Operator("IsNaN", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type.isFloat else { throw unsupported(tensor.type) }
      return Tensor(tensor.shape, tensor.doubles().map(\.isNaN))
    },
    Operator("IsInf", ["detect_negative", "detect_positive"], inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type.isFloat else { throw unsupported(tensor.type) }
      let (negative, positive) = (
        try call.flag("detect_negative", default: true), try call.flag("detect_positive", default: true)
      )
      return Tensor(
        tensor.shape, tensor.doubles().map { $0.isInfinite && ($0 < 0 ? negative : positive) })
    },
  ]

  private static func number(_ name: String, _ map: some NumberMap & Sendable) -> Operator {
    Operator(name, inputs: 1...1) { try mapped($0.tensor(0), map) }
  }

  private static func function(_ name: String, _ body: @escaping @Sendable (Double) -> Double) -> Operator {
    Operator(name, inputs: 1...1) { try mapped($0.tensor(0), body) }
  }

  private struct Absolute: NumberMap {
    func apply<T: Number>(_ value: T) -> T {
      value < T.blank ? T.subtract(T.blank, value) : value == T.blank ? T.blank : value
    }
  }
  private struct Negative: NumberMap {
    func apply<T: Number>(_ value: T) -> T { T.multiply(value, T(wrapping: -1)) }
  }
  private struct Signum: NumberMap {
    func apply<T: Number>(_ value: T) -> T {
      value.isNotANumber ? value : T(wrapping: value > T.blank ? 1 : value < T.blank ? -1 : 0)
    }
  }
}
