import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Parts of language models.
  static let sequenceModels: [Operator] = [
    Operator("RotaryEmbedding", ["interleaved", "num_heads", "rotary_embedding_dim"], inputs: 3...4) { call in
      let given = try call.tensor(0)
      let tensor: Tensor
      if given.rank == 3 {
        let count = try call.int("num_heads", default: 0)
        guard count > 0, given.shape[2] % count == 0 else {
          throw ONNXError.malformed(counted(count, "head"))
        }
        tensor = given.reshaped([given.shape[0], given.shape[1], count, given.shape[2] / count])
      } else {
        guard given.rank == 4 else {
          throw ONNXError.malformed("an input of \(counted(given.rank, "axis", "axes"))")
        }
        tensor = given.transposed([0, 2, 1, 3])
      }
      let (batch, length, count, size) = (tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3])
      let stated = try call.int("rotary_embedding_dim", default: 0)
      let rotated = stated == 0 ? size : stated
      let half = rotated / 2
      guard rotated <= size, rotated >= 0, rotated.isMultiple(of: 2) else {
        throw ONNXError.malformed("\(rotated) of \(counted(size, "element"))")
      }
      var caches = (try call.tensor(1), try call.tensor(2))
      if let positions = try call.optional(3) {
        func picked(_ cache: Tensor) throws -> Tensor {
          guard cache.rank == 2 else {
            throw ONNXError.malformed("a cache of \(counted(cache.rank, "axis", "axes"))")
          }
          return try cache.selecting([indexed(positions, within: cache.shape[0]), nil])
            .reshaped(positions.shape + [cache.shape[1]])
        }
        caches = (try picked(caches.0), try picked(caches.1))
      }
      guard caches.0.shape == [batch, length, half], caches.1.shape == caches.0.shape else {
        throw ONNXError.malformed("caches of shape \(Shape.text(caches.0.shape))")
      }
      let (cosines, sines, isInterleaved) = (
        caches.0.doubles(), caches.1.doubles(), try call.flag("interleaved")
      )
      var values = tensor.doubles()
      for row in 0..<batch * length * count {
        for index in 0..<half {
          let (a, b) =
            isInterleaved
            ? (row * size + 2 * index, row * size + 2 * index + 1)
            : (row * size + index, row * size + half + index)
          let angle = row / count * half + index
          (values[a], values[b]) = (
            cosines[angle] * values[a] - sines[angle] * values[b],
            sines[angle] * values[a] + cosines[angle] * values[b]
          )
        }
      }
      let result = Tensor(tensor.type, tensor.shape, doubles: values)
      return given.rank == 3 ? result.reshaped(given.shape) : result.transposed([0, 2, 1, 3])
    },
    Operator("SwiGLU", ["alpha"], inputs: 2...2) { call in
      let (a, b) = (try call.tensor(0), try call.tensor(1))
      guard a.shape == b.shape, a.type == b.type, a.type.isFloat else {
        throw ONNXError.malformed("the inputs differ in shape or type")
      }
      let alpha = try call.float("alpha", default: 1)
      return Tensor(
        a.type, a.shape, doubles: zip(a.doubles(), b.doubles()).map { $0 * sigmoid(alpha * $0) * $1 })
    },
    Operator("CausalConvWithState", ["activation"], inputs: 2...4, outputs: 1...2) {
      (call: Call) throws -> [Tensor?] in
      let (tensor, weights) = (try call.tensor(0), try call.tensor(1))
      guard tensor.rank == 3, weights.rank == 3, weights.shape[0] == tensor.shape[1], weights.shape[1] == 1,
        weights.shape[2] > 0
      else { throw ONNXError.malformed("weights of shape \(Shape.text(weights.shape))") }
      let (batch, channels, length, size) = (
        tensor.shape[0], tensor.shape[1], tensor.shape[2], weights.shape[2]
      )
      let isSwish = try call.choice("activation", ["none", "silu", "swish"]) != "none"
      let past =
        try call.optional(3)
        ?? Tensor(
          tensor.type, [batch, channels, size - 1],
          doubles: [Double](repeating: 0, count: try Shape.count([batch, channels, size - 1], bits: 64)))
      let padded = try concatenated([past, tensor], axis: 2)
      guard padded.shape[2] == length + size - 1 else {
        throw ONNXError.malformed("a state of \(past.shape)")
      }
      let (values, factors) = (padded.doubles(), weights.doubles())
      let bias = try call.optional(2)?.doubles() ?? [Double](repeating: 0, count: channels)
      var made: [Double] = []
      for line in 0..<batch * channels {
        for position in 0..<length {
          var sum = bias[line % channels]
          for k in 0..<size {
            sum += values[line * padded.shape[2] + position + k] * factors[line % channels * size + k]
          }
          made.append(isSwish ? sum * sigmoid(sum) : sum)
        }
      }
      return [
        Tensor(tensor.type, tensor.shape, doubles: made), padded.slice(length..<length + size - 1, axis: 2),
      ]
    },
    Operator(
      "LinearAttention", ["chunk_size", "kv_num_heads", "q_num_heads", "scale", "update_rule"], inputs: 3...6,
      outputs: 1...2, halves: .kept, tensors: linearAttention),
  ]

  /// A state of keys by values that decays, is corrected and read at each step.
  @Sendable private static func linearAttention(_ call: Call) throws -> [Tensor?] {
    let (query, key, value) = (try call.tensor(0), try call.tensor(1), try call.tensor(2))
    let rule = try call.choice("update_rule", ["gated_delta", "linear", "gated", "delta"])
    let (queries, heads) = (try call.int("q_num_heads", default: 0), try call.int("kv_num_heads", default: 0))
    guard query.rank == 3, key.rank == 3, value.rank == 3, heads > 0, queries > 0, queries % heads == 0,
      query.shape[2] % queries == 0, value.shape[2] % heads == 0
    else { throw ONNXError.malformed("\(counted(queries, "head")) of queries and \(heads) of keys") }
    let (batch, length) = (query.shape[0], query.shape[1])
    let (depth, width) = (query.shape[2] / queries, value.shape[2] / heads)
    guard key.shape == [batch, length, heads * depth], value.shape[..<2] == query.shape[..<2] else {
      throw ONNXError.malformed("queries, keys and values do not fit")
    }
    let (decay, beta) = (try call.optional(4), try call.optional(5))
    guard rule.hasPrefix("gated") == (decay != nil), rule.hasSuffix("delta") == (beta != nil) else {
      throw ONNXError.malformed("decay or beta does not go with the rule \"\(rule)\"")
    }
    let stateShape = [batch, heads, depth, width]
    let past = try call.optional(3)
    guard past.map({ $0.shape == stateShape }) ?? true else {
      throw ONNXError.malformed("a state of another shape")
    }
    let size = try Shape.count(stateShape, bits: 64)
    var state = past?.doubles() ?? [Double](repeating: 0, count: size)
    let stated = try call.float("scale", default: 0)
    let scale = stated == 0 ? 1 / Double(depth).squareRoot() : stated
    let (q, k, v, g, b) = (query.doubles(), key.doubles(), value.doubles(), decay?.doubles(), beta?.doubles())
    let (gates, corrections) = (decay?.shape.last ?? 0, beta?.shape.last ?? 0)
    guard decay == nil || gates == heads || gates == heads * depth,
      beta == nil || corrections == heads || corrections == 1
    else { throw ONNXError.malformed("decay or beta of another width") }
    var made = [Double](repeating: 0, count: try Shape.count([batch, length, queries, width], bits: 64))
    for image in 0..<batch {
      for step in 0..<length {
        let row = image * length + step
        for head in 0..<heads {
          let start = (image * heads + head) * depth * width
          let keys = (row * heads + head) * depth
          if let g {
            for d in 0..<depth {
              let factor = exp(g[gates == heads ? row * heads + head : keys + d])
              for m in 0..<width { state[start + d * width + m] *= factor }
            }
          }
          for m in 0..<width {
            var new = v[(row * heads + head) * width + m]
            if let b {
              var found = 0.0
              for d in 0..<depth { found += state[start + d * width + m] * k[keys + d] }
              new = b[row * corrections + (corrections == 1 ? 0 : head)] * (new - found)
            }
            for d in 0..<depth { state[start + d * width + m] += k[keys + d] * new }
          }
        }
        for head in 0..<queries {
          let start = (image * heads + head / (queries / heads)) * depth * width
          for m in 0..<width {
            var sum = 0.0
            for d in 0..<depth { sum += q[(row * queries + head) * depth + d] * state[start + d * width + m] }
            made[(row * queries + head) * width + m] = scale * sum
          }
        }
      }
    }
    return [
      Tensor(query.type, [batch, length, queries * width], doubles: made),
      Tensor(past?.type ?? query.type, stateShape, doubles: state),
    ]
  }
}
