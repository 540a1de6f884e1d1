import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Elements brought to a mean, a variance or a norm.
  static let normalizations: [Operator] = [
    Operator(
      "BatchNormalization", ["epsilon", "momentum", "training_mode", "is_test", "spatial"], inputs: 5...5,
      outputs: 1...5, tensors: batchNormalization),
    Operator("InstanceNormalization", ["epsilon"], inputs: 3...3) { call in
      let tensor = try call.tensor(0)
      guard tensor.rank > 2 else { throw ONNXError.malformed("the input has no spatial axes") }
      let area = tensor.shape[2...].reduce(1, *)
      let values = standardized(
        tensor.doubles(), group: area, epsilon: try call.float("epsilon", default: 1e-5)
      ).values
      return try perChannel(tensor, values, call.tensor(1), call.tensor(2))
    },
    Operator("GroupNormalization", ["epsilon", "num_groups", "stash_type"], inputs: 3...3) { call in
      let tensor = try call.tensor(0)
      let groups = try call.int("num_groups", default: 0)
      guard tensor.rank > 1, groups > 0, tensor.shape[1] % groups == 0 else {
        throw ONNXError.malformed("\(counted(groups, "group")) of shape \(Shape.text(tensor.shape))")
      }
      let (scale, bias) = (try call.tensor(1), try call.tensor(2))
      let size = tensor.shape[1] / groups
      // Up to version 20 a scale is one for each group.
      func spread(_ list: Tensor) throws -> Tensor {
        guard call.version < 21 else { return list }
        return try list.selecting([(0..<list.count).flatMap { [Int](repeating: $0, count: size) }])
      }
      let area = tensor.shape[2...].reduce(1, *)
      let values = standardized(
        tensor.doubles(), group: size * area, epsilon: try call.float("epsilon", default: 1e-5)
      ).values
      return try perChannel(tensor, values, spread(scale), spread(bias))
    },
    Operator(
      "LayerNormalization", ["axis", "epsilon", "stash_type"], inputs: 2...3, outputs: 1...3, halves: .kept
    ) {
      (call: Call) throws -> [Tensor?] in
      let tensor = try call.tensor(0)
      guard try call.int("stash_type", default: 1) == 1 else {
        throw ONNXError.unsupported("stash_type other than 1")
      }
      guard tensor.type.isFloat else { throw unsupported(tensor.type) }
      let axis = try Shape.axis(call.int("axis", default: -1), rank: tensor.rank)
      let group = tensor.shape[axis...].reduce(1, *)
      let (values, means, factors) = standardized(
        tensor.doubles(), group: group, rows: tensor.shape[..<axis].reduce(1, *),
        epsilon: try call.float("epsilon", default: 1e-5))
      var result = try scaled(values, tensor.shape, call.tensor(1)) { $0 * $1 }
      if let bias = try call.optional(2) { result = try scaled(result, tensor.shape, bias) { $0 + $1 } }
      let shape = tensor.shape[..<axis] + [Int](repeating: 1, count: tensor.rank - axis)
      let stash: ElementType = tensor.type == .double ? .double : .float
      return [
        Tensor(tensor.type, tensor.shape, doubles: result), Tensor(stash, Array(shape), doubles: means),
        Tensor(stash, Array(shape), doubles: factors),
      ]
    },
    Operator("RMSNormalization", ["axis", "epsilon", "stash_type"], inputs: 2...2, halves: .kept) { call in
      let tensor = try call.tensor(0)
      guard try call.int("stash_type", default: 1) == 1 else {
        throw ONNXError.unsupported("stash_type other than 1")
      }
      guard tensor.type.isFloat else { throw unsupported(tensor.type) }
      let axis = try Shape.axis(call.int("axis", default: -1), rank: tensor.rank)
      let group = tensor.shape[axis...].reduce(1, *)
      let epsilon = try call.float("epsilon", default: 1e-5)
      var values = tensor.doubles()
      for start in stride(from: 0, to: values.count, by: max(group, 1)) {
        let squares = values[start..<start + group].reduce(0) { $0 + $1 * $1 }
        let factor = 1 / (squares / Double(group) + epsilon).squareRoot()
        for index in start..<start + group { values[index] *= factor }
      }
      return Tensor(
        tensor.type, tensor.shape, doubles: try scaled(values, tensor.shape, call.tensor(1)) { $0 * $1 })
    },
    Operator("MeanVarianceNormalization", ["axes"], inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      let axes = try Shape.axes(call.ints("axes") ?? [0, 2, 3], rank: tensor.rank)
      let others = tensor.shape.indices.filter { !axes.contains($0) }
      let order = others + axes
      let moved = tensor.transposed(order)
      let group = axes.map { tensor.shape[$0] }.reduce(1, *)
      var values = moved.doubles()
      for start in stride(from: 0, to: values.count, by: max(group, 1)) {
        let (mean, variance) = moments(values[start..<start + group])
        for index in start..<start + group {
          values[index] = (values[index] - mean) / (variance.squareRoot() + 1e-9)
        }
      }
      return Tensor(tensor.type, moved.shape, doubles: values)
        .transposed(order.indices.map { order.firstIndex(of: $0)! })
    },
    Operator("LpNormalization", ["axis", "p"], inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      let (axis, p) = (
        try Shape.axis(call.int("axis", default: -1), rank: tensor.rank), try call.int("p", default: 2)
      )
      guard p == 1 || p == 2 else { throw ONNXError.unsupported("norm \(p)") }
      let (outer, size, inner) = Shape.around(axis, of: tensor.shape)
      var values = tensor.doubles()
      for line in 0..<outer * inner {
        let places = (0..<size).map { (line / inner * size + $0) * inner + line % inner }
        let norm =
          p == 1
          ? places.reduce(0) { $0 + abs(values[$1]) }
          : places.reduce(0) { $0 + values[$1] * values[$1] }.squareRoot()
        for place in places { values[place] = norm == 0 ? 0 : values[place] / norm }
      }
      return Tensor(tensor.type, tensor.shape, doubles: values)
    },
    Operator("LRN", ["alpha", "beta", "bias", "size"], inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      let (alpha, beta) = (try call.float("alpha", default: 0.0001), try call.float("beta", default: 0.75))
      let (bias, size) = (try call.float("bias", default: 1), try call.int("size", default: 0))
      guard tensor.rank > 2, size > 0, size < 1 << 31 else {
        throw ONNXError.malformed("a window of \(counted(size, "channel"))")
      }
      let (channels, area, values) = (tensor.shape[1], tensor.shape[2...].reduce(1, *), tensor.doubles())
      let (low, high) = ((size - 1) / 2, size / 2)
      return Tensor(
        tensor.type, tensor.shape,
        doubles: values.indices.map { place in
          let channel = place / area % channels
          let squares = (max(0, channel - low)...min(channels - 1, channel + high)).reduce(0.0) {
            let other = values[place + ($1 - channel) * area]
            return $0 + other * other
          }
          return values[place] / pow(bias + alpha / Double(size) * squares, beta)
        })
    },
  ]

  @Sendable private static func batchNormalization(_ call: Call) throws -> [Tensor?] {
    let tensor = try call.tensor(0)
    let lists = try (1...4).map { try call.tensor($0).doubles() }
    guard tensor.rank > 0, try call.flag("spatial", default: true) else {
      throw ONNXError.unsupported("statistics of single elements (spatial is 0)")
    }
    let (channels, area) = (tensor.rank > 1 ? tensor.shape[1] : 1, tensor.shape.dropFirst(2).reduce(1, *))
    guard lists.allSatisfy({ $0.count == channels }) else {
      throw ONNXError.malformed("statistics of other channels")
    }
    let epsilon = try call.float("epsilon", default: 1e-5)
    let momentum = try call.float("momentum", default: 0.9)
    var (values, mean, variance) = (tensor.doubles(), lists[2], lists[3])
    let isTraining =
      try call.version < 14 ? call.version < 7 && !call.flag("is_test") : call.flag("training_mode")
    // Before version 14 further outputs are the training's alone, and exporters' inference nodes name them in vain.
    if isTraining {
      for channel in 0..<channels {
        let own = values.indices.filter { $0 / area % channels == channel }.map { values[$0] }
        (mean[channel], variance[channel]) = moments(own[...])
      }
    }
    for index in values.indices {
      let channel = index / area % channels
      values[index] =
        (values[index] - mean[channel]) / (variance[channel] + epsilon).squareRoot() * lists[0][channel]
        + lists[1][channel]
    }
    let result = Tensor(tensor.type, tensor.shape, doubles: values)
    guard isTraining else { return [result] }
    func running(_ old: [Double], _ now: [Double], _ input: Int) throws -> Tensor {
      Tensor(
        try call.tensor(input).type, [channels],
        doubles: zip(old, now).map { $0 * momentum + $1 * (1 - momentum) })
    }
    return [result, try running(lists[2], mean, 3), try running(lists[3], variance, 4)]
  }

  static func moments(_ values: ArraySlice<Double>) -> (mean: Double, variance: Double) {
    let mean = values.reduce(0, +) / Double(values.count)
    return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count))
  }

  /// Groups of neighbors with mean 0 and variance 1, their means and the factors.
  ///
  /// - `rows`: The number of groups, where those are empty.
  private static func standardized(
    _ values: [Double], group: Int, rows: Int = 0, epsilon: Double
  ) -> (values: [Double], means: [Double], factors: [Double]) {
    guard group > 0 else {
      let none = [Double](repeating: .nan, count: rows)
      return (values, none, none)
    }
    var (result, means, factors) = (values, [Double](), [Double]())
    for start in stride(from: 0, to: values.count, by: group) {
      let (mean, variance) = moments(values[start..<start + group])
      let factor = 1 / (variance + epsilon).squareRoot()
      for index in start..<start + group { result[index] = (values[index] - mean) * factor }
      means.append(mean)
      factors.append(factor)
    }
    return (result, means, factors)
  }

  private static func perChannel(_ tensor: Tensor, _ values: [Double], _ scale: Tensor, _ bias: Tensor) throws
    -> Tensor
  {
    let (channels, area) = (tensor.shape[1], tensor.shape[2...].reduce(1, *))
    let (factors, addends) = (scale.doubles(), bias.doubles())
    guard factors.count == channels, addends.count == channels else {
      throw ONNXError.malformed("scale or bias of other channels than the input's \(channels)")
    }
    return Tensor(
      tensor.type, tensor.shape,
      doubles: values.enumerated().map { place, value in
        value * factors[place / area % channels] + addends[place / area % channels]
      })
  }

  private static func scaled(
    _ values: [Double], _ shape: [Int], _ other: Tensor, _ body: (Double, Double) -> Double
  ) throws -> [Double] {
    let pair = try Pair(Tensor(shape, values), Tensor(other.shape, other.doubles()))
    guard pair.shape == shape else {
      throw ONNXError.malformed("scale or bias does not broadcast to the input")
    }
    return pair.combined(Double.self, body)
  }
}
