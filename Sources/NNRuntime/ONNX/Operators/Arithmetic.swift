#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  private static let old = ["axis", "broadcast"]

  /// Functions of two numbers, and of any number of them.
  static let arithmetic: [Operator] = [
    Operator("Add", old, inputs: 2...2) { try Pair($0).numbers(Sum()) },
    Operator("Sub", old, inputs: 2...2) { try Pair($0).numbers(Difference()) },
    Operator("Mul", old, inputs: 2...2) { try Pair($0).numbers(Product()) },
    Operator("Div", old, inputs: 2...2) { try divisible(Pair($0)).numbers(Quotient()) },
    Operator("Mod", ["fmod"], inputs: 2...2) { call in
      let pair = try divisible(Pair(call))
      if try call.flag("fmod") { return try pair.numbers(Remainder()) }
      return try pair.numbers(FloorRemainder())
    },
    Operator("Pow", old, inputs: 2...2) { try power($0) },
    several("Max", Greater()), several("Min", Lesser()), several("Sum", Sum()),
    Operator("Mean", inputs: 1...Int(Int32.max)) { call in
      let tensors = try call.tensors()
      let sum = try folded(tensors, Sum())
      return Tensor(sum.type, sum.shape, doubles: sum.doubles().map { $0 / Double(tensors.count) })
    },
    Operator("Clip", ["min", "max"], inputs: 1...3) { call in
      let tensor = try call.tensor(0)
      guard tensor.type.number != nil else { throw unsupported(tensor.type) }
      func limit(_ name: String, _ index: Int) throws -> Tensor? {
        if let value = try call.float(name) { return Tensor(tensor.type, [], doubles: [value]) }
        guard let limit = try call.optional(index) else { return nil }
        guard limit.count == 1 else { throw ONNXError.malformed("the limit is not a single number") }
        return limit.reshaped([])
      }
      var result = tensor
      if let low = try limit("min", 1) { result = try Pair(result, low).numbers(Greater()) }
      if let high = try limit("max", 2) { result = try Pair(result, high).numbers(Lesser()) }
      return result
    },
  ]

  private static func several(_ name: String, _ body: some NumberPair & Sendable) -> Operator {
    Operator(name, inputs: 1...Int(Int32.max)) { try folded($0.tensors(), body) }
  }

  private static func folded(_ tensors: [Tensor], _ body: some NumberPair & Sendable) throws -> Tensor {
    guard tensors[0].type.number != nil else { throw unsupported(tensors[0].type) }
    return try tensors.dropFirst().reduce(tensors[0]) { try Pair($0, $1).numbers(body) }
  }

  /// Integers are not divided by zero.
  private static func divisible(_ pair: Pair) throws -> Pair {
    guard pair.first.type.isInteger, pair.second.integers().contains(0), !pair.shape.contains(0) else {
      return pair
    }
    throw ONNXError.input("an integer is divided by 0")
  }

  /// The exponent may be of another type than the base, which the result has.
  private static func power(_ call: Call) throws -> Tensor {
    let (base, given) = (try call.tensor(0), try call.tensor(1))
    guard base.type.number != nil, given.type.number != nil else { throw unsupported(base.type) }
    if base.type.isInteger, given.type.isInteger {
      let pair = try Pair(
        Tensor(base.shape, base.integers().map { Int64($0) }),
        Tensor(given.shape, given.integers().map { Int64($0) }))
      let values = pair.combined(Int64.self) { integerPower($0, $1) }
      return try Casting.cast(Tensor(pair.shape, values), to: base.type)
    }
    func wide(_ tensor: Tensor) -> Tensor { Tensor(tensor.shape, tensor.doubles()) }
    var exponent = wide(given)
    if call.version < 7 {
      exponent = try Pair(call).first.type == base.type ? wide(Pair(call).second) : exponent
    }
    let pair = try Pair(wide(base), exponent)
    return Tensor(base.type, pair.shape, doubles: pair.combined(Double.self) { pow($0, $1) })
  }

  private static func integerPower(_ base: Int64, _ exponent: Int64) -> Int64 {
    if exponent < 0 { return base == 1 ? 1 : base == -1 ? (exponent & 1 == 0 ? 1 : -1) : 0 }
    var (result, factor, rest) = (Int64(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result = result &* factor }
      factor = factor &* factor
      rest >>= 1
    }
    return result
  }

  struct Sum: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.add(a, b) } }
  struct Difference: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.subtract(a, b) } }
  struct Product: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.multiply(a, b) } }
  struct Quotient: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.divide(a, b) } }
  struct Remainder: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.remainder(a, b) } }
  struct FloorRemainder: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.floorRemainder(a, b) } }
  struct Greater: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.greater(a, b) } }
  struct Lesser: NumberPair { func apply<T: Number>(_ a: T, _ b: T) -> T { T.lesser(a, b) } }
}
