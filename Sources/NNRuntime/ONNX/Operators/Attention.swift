import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  static let attention: [Operator] = [
    Operator(
      "Attention",
      [
        "is_causal", "kv_num_heads", "q_num_heads", "qk_matmul_output_mode", "scale", "softcap",
        "softmax_precision",
        "left_window_size", "right_window_size",
      ], inputs: 3...7, outputs: 1...4, tensors: attend),
    Operator(
      "FlexAttention", domain: "ai.onnx.preview", ["scale", "score_mod", "prob_mod", "softmax_precision"],
      inputs: 3...3, outputs: 1...1, halves: .kept, tensors: flexible),
  ]

  /// Heads of their own axis, before the sequence's.
  private static func heads(_ tensor: Tensor, _ count: Int?) throws -> Tensor {
    if tensor.rank == 4 { return tensor }
    guard tensor.rank == 3, let count, count > 0, tensor.shape[2] % count == 0 else {
      throw ONNXError.malformed("\(counted(count ?? 0, "head")) of shape \(Shape.text(tensor.shape))")
    }
    return tensor.reshaped([tensor.shape[0], tensor.shape[1], count, tensor.shape[2] / count]).transposed([
      0, 2, 1, 3,
    ])
  }

  /// Each head as often as queries share it.
  private static func repeated(_ tensor: Tensor, to count: Int) throws -> Tensor {
    guard tensor.shape[1] > 0, count % tensor.shape[1] == 0 else {
      throw ONNXError.malformed("\(counted(count, "head")) of queries for \(tensor.shape[1]) of keys")
    }
    let times = count / tensor.shape[1]
    return times == 1 ? tensor : try tensor.selecting([nil, (0..<count).map { $0 / times }, nil, nil])
  }

  private static func scaled(_ tensor: Tensor, _ factor: Double) -> Tensor {
    Tensor(tensor.type, tensor.shape, doubles: tensor.doubles().map { $0 * factor })
  }

  @Sendable private static func attend(_ call: Call) throws -> [Tensor?] {
    let given = try call.tensor(0)
    let query = try heads(given, call.int("q_num_heads"))
    var (key, value) = (
      try heads(call.tensor(1), call.int("kv_num_heads")), try heads(call.tensor(2), call.int("kv_num_heads"))
    )
    guard try [4, 5].allSatisfy({ try call.optional($0).map { $0.rank == 4 } ?? true }) else {
      throw ONNXError.malformed("past keys or values without four axes")
    }
    let past = try call.optional(4)?.shape[2]
    if let old = try call.optional(4) { key = try concatenated([old, key], axis: 2) }
    if let old = try call.optional(5) { value = try concatenated([old, value], axis: 2) }
    guard query.rank == 4, key.rank == 4, value.rank == 4, key.shape[2] == value.shape[2],
      query.shape[3] == key.shape[3]
    else { throw ONNXError.malformed("queries, keys and values do not fit") }
    let (batch, count, rows, columns) = (query.shape[0], query.shape[1], query.shape[2], key.shape[2])
    let root = try call.float("scale", default: 1 / Double(query.shape[3]).squareRoot()).squareRoot()
    let scores = try multiplied(
      scaled(query, root), scaled(repeated(key, to: count), root).transposed([0, 1, 3, 2]))
    var values = scores.doubles()
    let mode = try call.int("qk_matmul_output_mode", default: 0)
    guard (0...3).contains(mode) else { throw ONNXError.unsupported("qk_matmul_output_mode \(mode)") }
    var shown = values
    if let cap = try call.float("softcap"), cap > 0 {
      for index in values.indices { values[index] = tanh(values[index] / cap) * cap }
      if mode == 1 { shown = values }
    }
    let bias = try self.bias(call, [batch, count, rows, columns], past)
    for index in values.indices { values[index] += bias[index] }
    if mode == 2 { shown = values }
    for start in stride(from: 0, to: values.count, by: max(columns, 1)) {
      let row = start..<start + columns
      // A query that may attend to nothing gets nothing.
      if bias[row].allSatisfy({ $0 == -.infinity }) {
        for index in row { values[index] = 0 }
        continue
      }
      var line = Array(values[row])
      let total = exponentials(&line)
      for (offset, index) in row.enumerated() { values[index] = line[offset] / total }
    }
    if mode == 3 { shown = values }
    let shape = [batch, count, rows, columns]
    var result = try multiplied(Tensor(query.type, shape, doubles: values), repeated(value, to: count))
    if given.rank == 3 {
      result = result.transposed([0, 2, 1, 3]).reshaped([batch, rows, count * value.shape[3]])
    }
    return [result, key, value, Tensor(query.type, shape, doubles: shown)]
  }

  /// The number added to each score: 0, minus infinity, or the mask's own number.
  private static func bias(_ call: Call, _ shape: [Int], _ past: Int?) throws -> [Double] {
    let (batch, rows, columns) = (shape[0], shape[2], shape[3])
    let lengths = try call.integers(6)
    guard lengths.map({ $0.count == batch }) ?? true else {
      throw ONNXError.malformed("lengths of another batch")
    }
    var result = [Double](repeating: 0, count: try Shape.count(shape, bits: 64))
    if let mask = try call.optional(3) {
      guard mask.rank > 0, mask.shape[mask.rank - 1] <= columns else {
        throw ONNXError.malformed("the mask is too wide")
      }
      let additive =
        mask.type == .bool
        ? Tensor(mask.shape, mask.array(of: Bool.self).map { $0 ? 0 : -Double.infinity })
        : Tensor(mask.shape, mask.doubles())
      let width = mask.shape[mask.rank - 1]
      var positions = [[Int]?](repeating: nil, count: mask.rank)
      if width < columns { positions[mask.rank - 1] = (0..<columns).map { $0 < width ? $0 : -1 } }
      result = try additive.selecting(positions, fill: Tensor([], [-Double.infinity])).broadcast(to: shape)
        .array(of: Double.self)
    }
    let isCausal = try call.flag("is_causal")
    let (left, right) = (
      try call.int("left_window_size", default: -1), try call.int("right_window_size", default: -1)
    )
    guard left >= -1, right >= -1 else { throw ONNXError.malformed("a window of \(left) and \(right)") }
    for index in result.indices {
      let (row, column) = (index / columns % rows, index % columns)
      let image = index / (columns * rows * shape[1])
      // The keys before the first query.
      let offset = past ?? lengths.map { $0[image] - rows } ?? 0
      let distance = row + offset - column
      let isHidden =
        isCausal && distance < 0 || left >= 0 && distance > left || right >= 0 && -distance > right
        || lengths.map { column >= $0[image] } ?? false
      if isHidden { result[index] = -.infinity }
    }
    return result
  }

  @Sendable private static func flexible(_ call: Call) throws -> [Tensor?] {
    let (query, key, value) = (try call.tensor(0), try call.tensor(1), try call.tensor(2))
    guard query.rank == 4, key.rank == 4, value.rank == 4 else {
      throw ONNXError.malformed("inputs of other than four axes")
    }
    let root = try call.float("scale", default: 1 / Double(query.shape[3]).squareRoot()).squareRoot()
    let type = try call.numericType(
      "softmax_precision", default: query.type.isHalf ? .float : query.type)
    let keys = try repeated(key, to: query.shape[1])
    var scores = try Casting.cast(
      multiplied(scaled(query, root).widened(), scaled(keys, root).widened().transposed([0, 1, 3, 2])),
      to: type)
    func modified(_ name: String, _ tensor: Tensor) throws -> Tensor {
      guard call.attribute(name) != nil else { return tensor }
      return try Casting.cast(
        call.run(call.program(name), [.tensor(tensor)])[0].tensor("the result"), to: type)
    }
    scores = try modified("score_mod", scores)
    let columns = scores.shape.last ?? 1
    var values = scores.doubles()
    for start in stride(from: 0, to: values.count, by: max(columns, 1)) {
      var line = Array(values[start..<start + columns])
      let total = exponentials(&line)
      for (offset, value) in line.enumerated() { values[start + offset] = value / total }
    }
    let probabilities = try modified("prob_mod", Tensor(type, scores.shape, doubles: values))
    let result = try multiplied(
      probabilities.widened(), Casting.cast(repeated(value, to: query.shape[1]), to: type).widened())
    return [try Casting.cast(result, to: value.type)]
  }
}
