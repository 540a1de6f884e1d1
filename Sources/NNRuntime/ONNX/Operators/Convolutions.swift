import FileFormats

extension Operators {
  private static let common = ["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"]

  static let convolutions: [Operator] = [
    Operator("Conv", common, inputs: 2...3) { call in
      let (input, weights) = (try call.tensor(0), try call.tensor(1))
      let bias = try call.optional(2)
      switch input.type {
      case .float: return try Convolution<Float>(call, input, weights).run(bias)
      case .double: return try Convolution<Double>(call, input, weights).run(bias)
      default: throw unsupported(input.type)
      }
    },
    Operator("ConvInteger", common, inputs: 2...4) { call in
      let (input, weights) = (try call.tensor(0), try call.tensor(1))
      let sums = try Convolution<Double>(
        call, centered(input, call.optional(2), axis: 1), centered(weights, call.optional(3), axis: 0)
      ).run(nil)
      return try Casting.cast(sums, to: .int32)
    },
    Operator("QLinearConv", common, inputs: 8...9, halves: .kept) { call in
      let (input, weights) = (try call.tensor(0), try call.tensor(3))
      let scales = try [1, 4, 6].map { try call.tensor($0).doubles() }
      let sums = try Convolution<Double>(
        call, centered(input, call.optional(2), axis: 1), centered(weights, call.optional(5), axis: 0)
      ).run(call.optional(8))
      let zero = try call.tensor(7)
      let area = sums.shape.dropFirst(2).reduce(1, *)
      guard scales[0].count == 1, scales[2].count == 1, [1, sums.shape[1]].contains(scales[1].count) else {
        throw ONNXError.malformed("the scales do not fit the weights")
      }
      let (low, high) = zero.type.range
      return Tensor(
        zero.type, sums.shape,
        doubles: sums.doubles().enumerated().map { position, sum in
          let scale =
            scales[0][0] * scales[1][scales[1].count == 1 ? 0 : position / area % sums.shape[1]]
            / scales[2][0]
          return min(max((sum * scale).rounded(.toNearestOrEven) + (zero.doubles().first ?? 0), low), high)
        })
    },
    Operator(
      "ConvTranspose", common + ["output_padding", "output_shape"], inputs: 2...3,
      evaluate: transposedConvolution),
  ]

  /// Quantized elements less their zero point, which may be one for each position of `axis`.
  static func centered(_ tensor: Tensor, _ zero: Tensor?, axis: Int) throws -> Tensor {
    var values = tensor.doubles()
    if let zeros = zero?.doubles() {
      guard zeros.count == 1 || tensor.shape.indices.contains(axis) else {
        throw ONNXError.malformed(
          "\(zeros.count) zero points for a tensor of shape \(Shape.text(tensor.shape))")
      }
      let (outer, size, inner) =
        zeros.count == 1 ? (1, 1, values.count) : Shape.around(axis, of: tensor.shape)
      guard zeros.count == size else {
        throw ONNXError.malformed("\(counted(zeros.count, "zero point")) for an axis of \(size)")
      }
      for position in values.indices where outer > 0 { values[position] -= zeros[position / inner % size] }
    }
    return Tensor(tensor.shape, values)
  }

  @Sendable private static func transposedConvolution(_ call: Call) throws -> Tensor {
    let (input, weights) = (try call.tensor(0), try call.tensor(1))
    let rank = input.rank - 2
    let group = try call.int("group", default: 1)
    guard rank > 0, weights.rank == input.rank, group > 0, weights.shape[0] == input.shape[1],
      input.shape[1] % group == 0
    else { throw ONNXError.malformed("weights of shape \(Shape.text(weights.shape)) do not fit the input") }
    let kernel = Array(weights.shape[2...])
    let (strides, dilations) = (try call.perAxis("strides", rank), try call.perAxis("dilations", rank))
    let extra = try call.numbers("output_padding", atLeast: 0, count: rank, axes: rank)
    var pads = try call.pads(rank)
    let automatic = try call.choice("auto_pad", ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    let spatial = Array(input.shape[2...])
    let full = (0..<rank).map { axis -> Int in
      let reach: Int = (kernel[axis] - 1) * dilations[axis] + 1
      return strides[axis] * (spatial[axis] - 1) + extra[axis] + reach
    }
    var sizes = (0..<rank).map { full[$0] - pads[$0] - pads[$0 + rank] }
    let given = try call.ints("output_shape").map { Array($0.suffix(rank)) }
    if let given, given.count != rank {
      throw ONNXError.malformed("attribute \"output_shape\" is \(given) for \(counted(rank, "axis", "axes"))")
    }
    if given != nil || automatic.hasPrefix("SAME") {
      sizes = given ?? (0..<rank).map { spatial[$0] * strides[$0] }
      for axis in 0..<rank {
        let total = max(full[axis] - sizes[axis], 0)
        pads[axis] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2
        pads[axis + rank] = total - pads[axis]
      }
    }
    let shape = [input.shape[0], group * weights.shape[1]] + sizes
    guard sizes.allSatisfy({ $0 >= 0 }) else { throw ONNXError.malformed("an output of \(sizes)") }
    _ = try Shape.count(shape, bits: 64)
    let bias = try call.optional(2)?.doubles()
    if let bias, bias.count != shape[1] {
      throw ONNXError.malformed("a bias of \(bias.count) for \(counted(shape[1], "channel"))")
    }
    let scattering = TransposedConvolution(
      shape: shape, group: group, strides: strides, dilations: dilations, before: Array(pads[..<rank]))
    switch input.type {
    case .float: return try scattering.run(Float.self, input, weights, bias)
    case .double: return try scattering.run(Double.self, input, weights, bias)
    default: throw unsupported(input.type)
    }
  }
}
