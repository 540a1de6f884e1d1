/// Helpers of operators that work element by element.

/// Applies `body` to each element, for every numeric type.
func mapped(_ tensor: Tensor, _ body: some NumberMap & Sendable) throws -> Tensor {
  func made<T: Number>(_: T.Type) -> Tensor {
    Tensor(tensor.shape, tensor.array(of: T.self).map { body.apply($0) }, type: tensor.type)
  }
  switch tensor.type {
  case .float:
    return Tensor(tensor.shape, FloatLoops.mapped(tensor.array(of: Float.self)) { body.apply($0) })
  case .int64: return made(Int64.self)
  default:
    guard let number = tensor.type.number else { throw unsupported(tensor.type) }
    return made(number)
  }
}

/// A function of a number of any type.
protocol NumberMap {
  func apply<T: Number>(_ value: T) -> T
}

/// Applies `body` to each element of a floating-point tensor.
func mapped(_ tensor: Tensor, _ body: @Sendable (Double) -> Double) throws -> Tensor {
  switch tensor.type {
  case .float:
    return Tensor(
      tensor.shape, FloatLoops.mapped(tensor.array(of: Float.self), cost: 16) { Float(body(Double($0))) })
  case .double: return Tensor(tensor.shape, tensor.array(of: Double.self).map(body))
  default: throw unsupported(tensor.type)
  }
}

/// Two tensors of one type whose shapes broadcast.
struct Pair {
  let first: Tensor
  let second: Tensor
  let shape: [Int]

  /// The first two inputs.
  init(_ call: Call) throws {
    var second = try call.tensor(1)
    let first = try call.tensor(0)
    if call.version < 7, try call.flag("broadcast") {
      // Up to version 6 the second's axes begin at one of the first's.
      let start = try call.int("axis") ?? first.rank - second.rank
      let rest = first.rank - start - second.rank
      guard start >= 0, rest >= 0 else { throw ONNXError.malformed("axis \(start) does not fit the shapes") }
      second = second.reshaped(second.shape + [Int](repeating: 1, count: rest))
    }
    try self.init(first, second)
  }

  init(_ first: Tensor, _ second: Tensor) throws {
    guard first.type == second.type else {
      throw ONNXError.malformed("elements of type \(first.type) and of type \(second.type)")
    }
    self.first = first
    self.second = second
    shape = try Shape.broadcast([first.shape, second.shape])
  }

  /// Applies `body` to pairs of elements stored as `T`.
  func combined<T: Element, R: Element>(_: T.Type, _ body: (T, T) -> R) -> [R] {
    combine(
      first.array(of: T.self), Shape.strides(first.shape, broadcastTo: shape),
      second.array(of: T.self), Shape.strides(second.shape, broadcastTo: shape), shape, body)
  }
}

@_specialize(where T == Float, R == Float)
@_specialize(where T == Int64, R == Int64)
@_specialize(where T == Bool, R == Bool)
func combine<T: Element, R: Element>(
  _ a: [T], _ stridesA: [Int], _ b: [T], _ stridesB: [Int], _ shape: [Int], _ body: (T, T) -> R
) -> [R] {
  var result: [R] = []
  result.reserveCapacity(shape.reduce(1, *))
  let (width, stepA, stepB) = (shape.last ?? 1, stridesA.last ?? 0, stridesB.last ?? 0)
  Shape.forEachRow(shape, [stridesA, stridesB]) { offsets in
    let (startA, startB) = (offsets[0], offsets[1])
    for index in 0..<width { result.append(body(a[startA + index * stepA], b[startB + index * stepB])) }
  }
  return result
}

/// A function of two numbers of any type.
protocol NumberPair {
  func apply<T: Number>(_ a: T, _ b: T) -> T
}

extension Pair {
  /// Applies `body` to pairs of numbers.
  func numbers(_ body: some NumberPair & Sendable) throws -> Tensor {
    func made<T: Number>(_: T.Type) -> Tensor {
      Tensor(shape, combined(T.self) { body.apply($0, $1) }, type: first.type)
    }
    switch first.type {
    case .float:
      let rows = BroadcastRows(
        shape, Shape.strides(first.shape, broadcastTo: shape), Shape.strides(second.shape, broadcastTo: shape)
      )
      return Tensor(
        shape,
        FloatLoops.combined(first.array(of: Float.self), second.array(of: Float.self), rows) {
          body.apply($0, $1)
        })
    case .int64: return made(Int64.self)
    default:
      guard let number = first.type.number else { throw unsupported(first.type) }
      return made(number)
    }
  }
}
