#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Numbers by chance, and what training leaves out.
  ///
  /// A `seed` gives the same numbers each time: those of ONNX's reference, which are those of NumPy's `RandomState`.
  static let randomness: [Operator] = [
    Operator("Dropout", ["ratio", "seed", "is_test"], inputs: 1...3, outputs: 1...2) {
      (call: Call) throws -> [Tensor?] in
      let tensor = try call.tensor(0)
      let ratio = try call.float("ratio") ?? call.scalar(1) ?? 0.5
      let isTraining =
        try call.optional(2).map { $0.type == .bool && $0.array(of: Bool.self).first == true } ?? false
      let isOld = try call.version < 7 && !call.flag("is_test")
      guard isTraining && ratio > 0 || isOld else {
        let mask = Tensor(tensor.shape, [Bool](repeating: true, count: tensor.count))
        return [tensor, call.version < 10 ? try Casting.cast(mask, to: tensor.type) : mask]
      }
      guard ratio < 1 else { throw ONNXError.input("a ratio of \(ratio)") }
      var source = try RandomSource(call)
      let kept = (0..<tensor.count).map { _ in source.uniform() >= ratio }
      return [
        Tensor(
          tensor.type, tensor.shape, doubles: zip(tensor.doubles(), kept).map { $1 ? $0 / (1 - ratio) : 0 }),
        Tensor(tensor.shape, kept),
      ]
    },
    random("RandomNormal", ["mean", "scale"], isLike: false) { call in
      let (mean, scale) = (try call.float("mean", default: 0), try call.float("scale", default: 1))
      return { mean + scale * $0.normal() }
    },
    random("RandomNormalLike", ["mean", "scale"], isLike: true) { call in
      let (mean, scale) = (try call.float("mean", default: 0), try call.float("scale", default: 1))
      return { mean + scale * $0.normal() }
    },
    random("RandomUniform", ["high", "low"], isLike: false) { call in
      let (low, high) = (try call.float("low", default: 0), try call.float("high", default: 1))
      return { low + (high - low) * $0.uniform() }
    },
    random("RandomUniformLike", ["high", "low"], isLike: true) { call in
      let (low, high) = (try call.float("low", default: 0), try call.float("high", default: 1))
      return { low + (high - low) * $0.uniform() }
    },
    Operator(
      "Bernoulli", ["dtype", "seed"], inputs: 1...1, isPure: false,
      values: { call in
        let tensor = try call.tensor(0)
        var source = try RandomSource(call)
        return [
          .tensor(
            Tensor(
              try call.numericType("dtype", default: tensor.type), tensor.shape,
              doubles: tensor.doubles().map { source.isTrue(withProbability: $0) ? 1 : 0 }))
        ]
      }),
    Operator(
      "Multinomial", ["dtype", "sample_size", "seed"], inputs: 1...1, isPure: false,
      values: { call in
        let tensor = try call.tensor(0)
        let count = try call.int("sample_size", default: 1)
        guard tensor.rank == 2, tensor.shape[1] > 0, count > 0 else {
          throw ONNXError.malformed("no classes to draw from")
        }
        _ = try Shape.count([tensor.shape[0], count])
        var source = try RandomSource(call)
        let (values, classes) = (tensor.doubles().map { exp($0) }, tensor.shape[1])
        let drawn = (0..<tensor.shape[0] * count).map { index -> Double in
          let row = values[index / count * classes..<(index / count + 1) * classes]
          var rest = source.uniform() * row.reduce(0, +)
          for (position, value) in row.enumerated() {
            rest -= value
            if rest < 0 { return Double(position) }
          }
          return Double(classes - 1)
        }
        return [
          .tensor(
            Tensor(try call.numericType("dtype", default: .int32), [tensor.shape[0], count], doubles: drawn))
        ]
      }),
  ]

  private static func random(
    _ name: String, _ attributes: [String], isLike: Bool,
    _ body: @escaping @Sendable (Call) throws -> (inout RandomSource) -> Double
  ) -> Operator {
    Operator(
      name, attributes + ["dtype", "seed"] + (isLike ? [] : ["shape"]), inputs: isLike ? 1...1 : 0...0,
      halves: .kept,
      isPure: false,
      values: { call in
        let like = isLike ? try call.tensor(0) : nil
        let shape = try like?.shape ?? call.ints("shape") ?? []
        let count = try Shape.count(shape, bits: 64)
        var source = try RandomSource(call)
        let draw = try body(call)
        return [
          .tensor(
            Tensor(
              try call.numericType("dtype", default: like?.type ?? .float), shape,
              doubles: (0..<count).map { _ in draw(&source) }))
        ]
      })
  }
}

/// Numbers of distributions, the same on every machine, drawn as NumPy's `RandomState` draws them.
struct RandomSource {
  private var generator: MersenneTwister
  /// The second of a pair of normal numbers, not given out yet.
  private var spare: Double?

  /// From the attribute `seed`, or by chance.
  init(_ call: Call) throws {
    let seed = try call.float("seed", orInt: nil).flatMap { $0.isNaN ? nil : $0 }
    generator = MersenneTwister(seed: seed.map(Self.word) ?? .random(in: .min ... .max))
  }

  /// A seed without its fraction; what is not a number of 32 bits then is mixed into one.
  private static func word(of seed: Double) -> UInt32 {
    if let whole = UInt32(exactly: seed.rounded(.towardZero)) { return whole }
    return UInt32(truncatingIfNeeded: seed.bitPattern ^ seed.bitPattern >> 32)
  }

  /// From 0 to below 1.
  mutating func uniform() -> Double { generator.uniform() }

  /// A normal number of mean 0 and variance 1, by Marsaglia's polar method.
  mutating func normal() -> Double {
    if let number = spare {
      spare = nil
      return number
    }
    while true {
      let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
      let squared = x * x + y * y
      guard squared > 0, squared < 1 else { continue }
      let factor = (-2 * log(squared) / squared).squareRoot()
      spare = factor * x
      return factor * y
    }
  }

  /// One of two outcomes, by inversion of the binomial distribution of one draw.
  mutating func isTrue(withProbability p: Double) -> Bool {
    let drawn = uniform()
    return p <= 0.5 ? drawn > 1 - p : drawn <= p
  }
}
