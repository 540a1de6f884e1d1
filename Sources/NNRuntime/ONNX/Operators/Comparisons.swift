extension Operators {
  /// Orders of two numbers, and equality of any two elements.
  static let comparisons: [Operator] = [
    Operator("Equal", ["axis", "broadcast"], inputs: 2...2) { call in
      let pair = try Pair(call)
      func equal<T: Element>(_: T.Type) -> Tensor { Tensor(pair.shape, pair.combined(T.self) { $0 == $1 }) }
      return equal(pair.first.type.storage)
    },
    order("Less") {
      $0 < $1
    } _: {
      $0 < $1
    } _: {
      $0 < $1
    },
    order("Greater") {
      $0 > $1
    } _: {
      $0 > $1
    } _: {
      $0 > $1
    },
    order("LessOrEqual") {
      $0 <= $1
    } _: {
      $0 <= $1
    } _: {
      $0 <= $1
    },
    order("GreaterOrEqual") {
      $0 >= $1
    } _: {
      $0 >= $1
    } _: {
      $0 >= $1
    },
  ]

  /// Signed integers, unsigned ones and floating-point numbers each hold all types of their kind.
  private static func order(
    _ name: String, _ signed: @escaping @Sendable (Int64, Int64) -> Bool,
    _ unsigned: @escaping @Sendable (UInt64, UInt64) -> Bool,
    _ floating: @escaping @Sendable (Double, Double) -> Bool
  ) -> Operator {
    Operator(name, ["axis", "broadcast"], inputs: 2...2) { call in
      let pair = try Pair(call)
      func wide<T: Element>(_ convert: (Tensor) -> [T], _ body: (T, T) -> Bool) throws -> Tensor {
        let both = try Pair(
          Tensor(pair.first.shape, convert(pair.first)), Tensor(pair.second.shape, convert(pair.second)))
        return Tensor(pair.shape, both.combined(T.self, body))
      }
      if pair.first.type.isFloat { return try wide({ $0.doubles() }, floating) }
      guard pair.first.type.isInteger else { throw unsupported(pair.first.type) }
      return pair.first.type.isSigned
        ? try wide({ $0.integers().map { Int64($0) } }, signed)
        : try wide({ $0.integers().map { UInt64(bitPattern: Int64($0)) } }, unsigned)
    }
  }
}
