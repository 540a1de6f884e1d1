extension Operators {
  /// Sums and products of all elements up to each.
  static let cumulations: [Operator] = [
    cumulation("CumSum", start: 0, Arithmetic.add), cumulation("CumProd", start: 1, Arithmetic.multiply),
  ]

  private enum Arithmetic { case add, multiply }

  private static func cumulation(_ name: String, start: Int64, _ kind: Arithmetic) -> Operator {
    Operator(name, ["exclusive", "reverse"], inputs: 2...2) { call in
      let tensor = try call.tensor(0)
      guard let given = try call.integers(1)?.first else { throw ONNXError.malformed("there is no axis") }
      let axis = try Shape.axis(given, rank: tensor.rank)
      let (isExclusive, isReverse) = (try call.flag("exclusive"), try call.flag("reverse"))
      let (outer, size, inner) = Shape.around(axis, of: tensor.shape)
      func made<T: Number>(_: T.Type) -> Tensor {
        var values = tensor.array(of: T.self)
        let body = kind == .add ? T.add : T.multiply
        for line in 0..<outer * inner {
          var total = T(wrapping: start)
          for step in 0..<size {
            let position = isReverse ? size - 1 - step : step
            let flat = (line / inner * size + position) * inner + line % inner
            let value = values[flat]
            if isExclusive { values[flat] = total }
            total = body(total, value)
            if !isExclusive { values[flat] = total }
          }
        }
        return Tensor(tensor.shape, values, type: tensor.type)
      }
      guard let number = tensor.type.number else { throw unsupported(tensor.type) }
      return made(number)
    }
  }
}
