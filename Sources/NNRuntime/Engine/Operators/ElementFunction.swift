import NNKernelInterface

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A function of single elements that is computed one at a time: those that networks apply to small maps.
public enum ElementwiseFunction: Hashable, Sendable {
  /// Hyperbolic tangent, exponential, natural logarithm, square root, 1/x, |x|, erf.
  case tanh, exp, log, squareRoot, reciprocal, magnitude, erf
  /// log(1 + exp(x)), x tanh(softplus(x)), and x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
  case softplus, mish, tanhGELU
  /// x where it is positive, alpha (exp(x) - 1) elsewhere.
  case elu(alpha: Float)
  /// x to a power.
  case power(Float)
  /// x / (1 + exp(-factor x)).
  case swish(factor: Float)
  /// x as a multiple of a scale: x / scale, rounded to the nearest whole number, a half to the even one, kept between two
  /// whole numbers, times the scale.
  case multiples(of: Float, low: Float, high: Float)

  /// Name in plans, profiles and traces.
  public var name: String {
    switch self {
    case .tanh: "tanh"
    case .exp: "exp"
    case .log: "log"
    case .squareRoot: "sqrt"
    case .reciprocal: "reciprocal"
    case .magnitude: "abs"
    case .erf: "erf"
    case .softplus: "softplus"
    case .mish: "mish"
    case .tanhGELU: "tanhgelu"
    case .elu: "elu"
    case .power: "power"
    case .swish: "swish"
    case .multiples: "quantize"
    }
  }

  @inline(__always)
  fileprivate func of(_ x: Float) -> Float {
    switch self {
    case .tanh: tanhf(x)
    case .exp: expf(x)
    case .log: logf(x)
    case .squareRoot: x.squareRoot()
    case .reciprocal: 1 / x
    case .magnitude: abs(x)
    case .erf: erff(x)
    case .softplus: Self.softplus(x)
    case .mish: x * tanhf(Self.softplus(x))
    case .tanhGELU: 0.5 * x * (1 + tanhf(0.797_884_56 * (x + 0.044715 * x * x * x)))
    case .elu(let alpha): x > 0 ? x : alpha * expm1f(x)
    case .power(let exponent): exponent == 2 ? x * x : powf(x, exponent)
    case .swish(let factor): x / (1 + expf(-factor * x))
    case .multiples(let scale, let low, let high): Self.multiple(x, scale, low, high)
    }
  }

  /// The nearest multiple of `scale` in a range; halves go to the even one.
  @inline(__always)
  fileprivate static func multiple(_ x: Float, _ scale: Float, _ low: Float, _ high: Float) -> Float {
    let quotient = x / scale
    let above = quotient > low ? quotient : low
    return (above < high ? above : high).nearestWhole * scale
  }

  private static func softplus(_ x: Float) -> Float { max(x, 0) + log1pf(expf(-abs(x))) }
}

extension Float {
  /// The nearest whole number of one below 2^22; halves go to the even one.
  ///
  /// Adding 3 * 2^22, and taking it away, leaves no fraction: that is not a call, and vectorized.
  @inline(__always) var nearestWhole: Float { self + 12_582_912 - 12_582_912 }
}

/// Such a function of every element.
struct ElementFunction: VectorOperator {
  var function: ElementwiseFunction

  /// The arguments of a kernel.
  struct Task {
    var function: ElementwiseFunction
    var width, channels: Int
    var input: MapPointer
    var output: MutableMapPointer
  }

  var name: String { function.name }
  var parameterCount: Int { 0 }
  func shape(of inputs: [MapShape]) -> MapShape { inputs[0] }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }

  var multiples: ResultMultiples {
    guard case .multiples(let scale, let low, let high) = function, high - low <= 255, low <= 0, high >= 0
    else { return .any }
    return .own(ByteSteps(scale: scale, low: low, high: high))
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let output = builder.shapes[node.output]
    let task = TaskMemory(
      Task(
        function: function, width: output.width, channels: output.channels,
        input: builder.map(node.inputs[0]), output: builder.mutableMap(node.output)),
      keeping: [builder.arena] + builder.operands)
    // A call an element: chunks of fewer than elsewhere.
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: max(1, 4096 / output.channels))
  }

  /// Items are pixels.
  static let plain = PlainKernel<Task>(
    name: "function-f32", computes: "function of an element", tolerance: .function
  ) { task, share in
    share.forEachPixel(width: task.width) { y, x in
      let (input, output) = unsafe (task.input.pixel(y, x), task.output.pixel(y, x))
      if case .multiples(let scale, let low, let high) = task.function {
        // By itself, so that it is vectorized.
        for channel in 0..<task.channels {
          unsafe output[channel] = ElementwiseFunction.multiple(input[channel], scale, low, high)
        }
        return
      }
      for channel in 0..<task.channels { unsafe output[channel] = task.function.of(input[channel]) }
    }
  }
}

extension Value {
  /// The function of every element.
  public func mapped(_ function: ElementwiseFunction, name: String) -> Value {
    applying(ElementFunction(function: function), name: name)
  }
}
