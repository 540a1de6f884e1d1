extension Operators {
  /// Products of matrices.
  static let products: [Operator] = [
    Operator("MatMul", inputs: 2...2) { try multiplied($0.tensor(0), $0.tensor(1)) },
    Operator("MatMulInteger", inputs: 2...4) { call in
      let (a, b) = (try call.tensor(0), try call.tensor(1))
      let sums = try multiplied(
        centered(a, call.optional(2), axis: max(a.rank - 2, 0)),
        centered(b, call.optional(3), axis: b.rank - 1))
      return try Casting.cast(sums, to: .int32)
    },
    Operator("QLinearMatMul", inputs: 8...8, halves: .kept) { call in
      let (a, b, zero) = (try call.tensor(0), try call.tensor(3), try call.tensor(7))
      let scales = try [1, 4, 6].map { try call.tensor($0).doubles() }
      guard scales.allSatisfy({ $0.count == 1 }) else {
        throw ONNXError.unsupported("scales of single rows or columns")
      }
      let sums = try multiplied(
        centered(a, call.optional(2), axis: max(a.rank - 2, 0)),
        centered(b, call.optional(5), axis: b.rank - 1))
      let (low, high) = zero.type.range
      let offset = zero.doubles().first ?? 0
      return Tensor(
        zero.type, sums.shape,
        doubles: sums.doubles().map { sum in
          min(
            max((sum * scales[0][0] * scales[1][0] / scales[2][0]).rounded(.toNearestOrEven) + offset, low),
            high)
        })
    },
    Operator("Gemm", ["alpha", "beta", "transA", "transB", "broadcast"], inputs: 2...3) { call in
      var a = try call.tensor(0)
      let b = try call.tensor(1)
      guard a.rank == 2, b.rank == 2 else { throw ONNXError.malformed("the factors must be matrices") }
      if try call.flag("transA") { a = a.transposed([1, 0]) }
      let isTransposed = try call.flag("transB")
      let (alpha, beta) = (try call.float("alpha", default: 1), try call.float("beta", default: 1))
      func scaled(_ tensor: Tensor, _ factor: Double) -> Tensor {
        factor == 1
          ? tensor : Tensor(tensor.type, tensor.shape, doubles: tensor.doubles().map { $0 * factor })
      }
      let product = scaled(try multiplied(a, b, isTransposed: isTransposed), alpha)
      guard let addend = try call.optional(2) else { return product }
      let pair = try Pair(product, scaled(addend, beta))
      guard pair.shape == product.shape else {
        throw ONNXError.malformed("the addend does not broadcast to the product")
      }
      return try pair.numbers(Sum())
    },
    Operator("Einsum", ["equation"], inputs: 1...Int(Int32.max)) { call in
      try Einsum(call.string("equation", default: ""), call.tensors().map(\.shape)).run(call.tensors())
    },
    Operator("Det", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.rank >= 2, tensor.shape[tensor.rank - 1] == tensor.shape[tensor.rank - 2] else {
        throw ONNXError.malformed("the input must be a square matrix")
      }
      let size = tensor.shape[tensor.rank - 1]
      let shape = Array(tensor.shape.dropLast(2))
      let values = tensor.doubles()
      return Tensor(
        tensor.type, shape,
        doubles: (0..<shape.reduce(1, *)).map {
          determinant(Array(values[$0 * size * size..<($0 + 1) * size * size]), size)
        })
    },
  ]

  /// The product of the last two axes; those before broadcast.
  ///
  /// A list is a row or a column.
  ///
  /// `isTransposed`: the second, a matrix, lies there transposed.
  static func multiplied(_ first: Tensor, _ second: Tensor, isTransposed: Bool = false) throws -> Tensor {
    if isTransposed {
      guard first.type == .float, second.type == .float, first.shape[1] == second.shape[1] else {
        return try multiplied(first, second.transposed([1, 0]))
      }
      let (rows, columns) = (first.shape[0], second.shape[0])
      _ = try Shape.count([rows, columns])
      let product = MatrixProduct<Float>(rows: rows, depth: first.shape[1], columns: columns)
      return Tensor(
        [rows, columns],
        product.multiply(first.array(of: Float.self)[...], transposed: second.array(of: Float.self)[...]))
    }
    guard first.rank > 0, second.rank > 0, first.type == second.type else {
      throw ONNXError.malformed(
        "a product of \(first.type) \(first.shape) and \(second.type) \(second.shape)")
    }
    let a = first.rank == 1 ? first.reshaped([1] + first.shape) : first
    let b = second.rank == 1 ? second.reshaped(second.shape + [1]) : second
    let (rows, depth) = (a.shape[a.rank - 2], a.shape[a.rank - 1])
    let columns = b.shape[b.rank - 1]
    guard b.shape[b.rank - 2] == depth else {
      throw ONNXError.malformed(
        "shapes \(Shape.text(first.shape)) and \(Shape.text(second.shape)) do not fit in a product")
    }
    let batch = try Shape.broadcast([Array(a.shape.dropLast(2)), Array(b.shape.dropLast(2))])
    let (outerA, outerB) = (Array(a.shape.dropLast(2)), Array(b.shape.dropLast(2)))
    let shape = batch + (first.rank == 1 ? [] : [rows]) + (second.rank == 1 ? [] : [columns])
    _ = try Shape.count(shape, bits: first.type.bits)
    let places = (
      Tensor(outerA, Array(0..<outerA.reduce(1, *)).map { Int64($0) }),
      Tensor(outerB, Array(0..<outerB.reduce(1, *)).map { Int64($0) })
    )
    let (whichA, whichB) = (
      try places.0.broadcast(to: batch).integers(), try places.1.broadcast(to: batch).integers()
    )
    // Weights that all of a batch share are one product of more rows.
    let isShared = outerB.reduce(1, *) == 1 && outerA == batch
    func floating<T: BinaryFloatingPoint & SIMDScalar & Element & BitwiseCopyable>(_: T.Type) -> Tensor {
      let (left, right) = (a.array(of: T.self), b.array(of: T.self))
      if isShared {
        let product = MatrixProduct<T>(rows: rows * batch.reduce(1, *), depth: depth, columns: columns)
        return Tensor(shape, product.multiply(left[...], right[...]))
      }
      let product = MatrixProduct<T>(rows: rows, depth: depth, columns: columns)
      var result: [T] = []
      result.reserveCapacity(shape.reduce(1, *))
      for (i, j) in zip(whichA, whichB) {
        result += product.multiply(
          left[i * rows * depth..<(i + 1) * rows * depth],
          right[j * depth * columns..<(j + 1) * depth * columns])
      }
      return Tensor(shape, result)
    }
    func whole<T: Number>(_: T.Type) -> Tensor {
      let (left, right) = (a.array(of: T.self), b.array(of: T.self))
      var result = [T](repeating: T.blank, count: shape.reduce(1, *))
      for (index, (i, j)) in zip(whichA, whichB).enumerated() {
        for row in 0..<rows {
          for k in 0..<depth {
            let factor = left[(i * rows + row) * depth + k]
            for column in 0..<columns {
              let place = (index * rows + row) * columns + column
              result[place] = T.add(
                result[place], T.multiply(factor, right[(j * depth + k) * columns + column]))
            }
          }
        }
      }
      return Tensor(shape, result, type: first.type)
    }
    switch first.type {
    case .float: return floating(Float.self)
    case .double: return floating(Double.self)
    default:
      guard let number = first.type.number else { throw unsupported(first.type) }
      return whole(number)
    }
  }

  /// By elimination with the greatest pivot of each column.
  private static func determinant(_ matrix: [Double], _ size: Int) -> Double {
    var (values, result) = (matrix, 1.0)
    for column in 0..<size {
      let pivot = (column..<size).max { abs(values[$0 * size + column]) < abs(values[$1 * size + column]) }!
      if values[pivot * size + column] == 0 { return 0 }
      if pivot != column {
        for k in 0..<size { values.swapAt(pivot * size + k, column * size + k) }
        result = -result
      }
      result *= values[column * size + column]
      for row in column + 1..<max(size, column + 1) {
        let factor = values[row * size + column] / values[column * size + column]
        for k in column..<size { values[row * size + k] -= factor * values[column * size + k] }
      }
    }
    return result
  }
}
