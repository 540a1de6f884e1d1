extension Operators {
  /// One of two, by a condition.
  static let selections: [Operator] = [
    Operator("Where", inputs: 3...3, halves: .kept) { call in
      let (condition, first, second) = (try call.tensor(0), try call.tensor(1), try call.tensor(2))
      guard condition.type == .bool else { throw ONNXError.malformed("the condition is not of truth values") }
      let shape = try Shape.broadcast([condition.shape, first.shape, second.shape])
      func chosen<T: Element>(_: T.Type) throws -> Tensor {
        let conditions = try condition.broadcast(to: shape).array(of: Bool.self)
        let a = try first.broadcast(to: shape).array(of: T.self)
        let b = try second.broadcast(to: shape).array(of: T.self)
        return Tensor(shape, conditions.indices.map { conditions[$0] ? a[$0] : b[$0] }, type: first.type)
      }
      return try first.type == .float ? chosen(Float.self) : chosen(first.type.storage)
    }
  ]
}
