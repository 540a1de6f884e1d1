/// Value on an edge of a graph.
package indirect enum Value: Sendable {
  case tensor(Tensor)
  case sequence([Value])
  /// nil: there is none.
  case optional(Value?)

  /// The tensor; an optional's too.
  package func tensor(_ what: @autoclosure () -> String) throws -> Tensor {
    switch self {
    case .tensor(let tensor): return tensor
    case .optional(.some(let value)): return try value.tensor(what())
    default: throw ONNXError.malformed("\(what()) is not a tensor")
    }
  }
}
