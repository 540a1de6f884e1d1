import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Values between the elements of a map.
  static let sampling: [Operator] = [
    Operator("GridSample", ["align_corners", "mode", "padding_mode"], inputs: 2...2) { call in
      let (tensor, grid) = (try call.tensor(0), try call.tensor(1))
      let rank = tensor.rank - 2
      guard rank > 0, grid.rank == tensor.rank, grid.shape[0] == tensor.shape[0],
        grid.shape[grid.rank - 1] == rank,
        tensor.type.isFloat, !tensor.shape.contains(0)
      else { throw ONNXError.malformed("a grid of shape \(Shape.text(grid.shape))") }
      let mode: GridSampler.Mode =
        switch try call.choice("mode", ["linear", "nearest", "cubic", "bilinear", "bicubic"]) {
        case "nearest": .nearest
        case "cubic", "bicubic": .cubic
        default: .linear
        }
      let padding = try call.choice("padding_mode", ["zeros", "border", "reflection"])
      let sampler = GridSampler(
        mode: mode, padding: GridSampler.Padding(rawValue: padding) ?? .zeros,
        alignsCorners: try call.flag("align_corners"), sizes: Array(tensor.shape[2...]))
      let places = grid.shape[1..<grid.rank - 1].reduce(1, *)
      let shape = Array(tensor.shape[..<2]) + grid.shape[1..<grid.rank - 1]
      if tensor.type == .float, grid.type == .float, let plane = PlaneSampler(sampler) {
        return Tensor(shape, plane.sampled(tensor.floats(), images: tensor.shape[0], at: grid.floats()))
      }
      let (area, channels) = (sampler.sizes.reduce(1, *), tensor.shape[1])
      let (values, coordinates) = (tensor.doubles(), grid.doubles())
      var made = [Double](repeating: 0, count: try Shape.count(shape, bits: 64))
      for image in 0..<tensor.shape[0] {
        for place in 0..<places {
          let start = (image * places + place) * rank
          let weights = sampler.weights(at: coordinates[start..<start + rank].reversed())
          for channel in 0..<channels {
            let plane = (image * channels + channel) * area
            made[(image * channels + channel) * places + place] = weights.reduce(0) {
              $0 + $1.factor * values[plane + $1.flat]
            }
          }
        }
      }
      return Tensor(tensor.type, shape, doubles: made)
    },
    Operator("AffineGrid", ["align_corners"], inputs: 2...2) { call in
      let theta = try call.tensor(0)
      guard let sizes = try call.integers(1), sizes.count == 4 || sizes.count == 5,
        sizes.allSatisfy({ $0 >= 0 })
      else {
        throw ONNXError.malformed("sizes of other than four or five axes")
      }
      let spatial = Array(sizes[2...])
      let rank = spatial.count
      guard theta.shape == [sizes[0], rank, rank + 1] else {
        throw ONNXError.malformed("matrices of shape \(theta.shape)")
      }
      _ = try Shape.count(sizes, bits: 64)
      let (aligns, factors) = (try call.flag("align_corners"), theta.doubles())
      func coordinate(_ position: Int, _ size: Int) -> Double {
        aligns ? -1 + 2 * Double(position) / Double(size - 1) : -1 + (2 * Double(position) + 1) / Double(size)
      }
      var made: [Double] = []
      for image in 0..<sizes[0] {
        Shape.forEachIndex(spatial) { index in
          let point = index.indices.reversed().map { coordinate(index[$0], spatial[$0]) } + [1]
          for row in 0..<rank {
            let start = (image * rank + row) * (rank + 1)
            made.append(point.enumerated().reduce(0) { $0 + factors[start + $1.offset] * $1.element })
          }
        }
      }
      return Tensor(theta.type, [sizes[0]] + spatial + [rank], doubles: made)
    },
    Operator(
      "RoiAlign",
      [
        "coordinate_transformation_mode", "mode", "output_height", "output_width", "sampling_ratio",
        "spatial_scale",
      ],
      inputs: 3...3, evaluate: regionAlign),
    Operator(
      "DeformConv", ["dilations", "group", "kernel_shape", "offset_group", "pads", "strides"], inputs: 3...5,
      evaluate: deformable),
  ]

  @Sendable private static func regionAlign(_ call: Call) throws -> Tensor {
    let (tensor, regions, images) = (try call.tensor(0), try call.tensor(1), try call.integers(2) ?? [])
    let isHalf =
      try call.version >= 16
      && call.choice("coordinate_transformation_mode", ["half_pixel", "output_half_pixel"]) == "half_pixel"
    let isMean = try call.choice("mode", ["avg", "max"]) == "avg"
    let (high, wide) = (try call.int("output_height", default: 1), try call.int("output_width", default: 1))
    let (ratio, scale) = (
      try call.int("sampling_ratio", default: 0), try call.float("spatial_scale", default: 1)
    )
    guard tensor.rank == 4, regions.shape == [images.count, 4], high > 0, wide > 0,
      (0..<1 << 16).contains(ratio),
      images.allSatisfy({ (0..<tensor.shape[0]).contains($0) })
    else { throw ONNXError.malformed("regions of shape \(Shape.text(regions.shape))") }
    let (channels, height, width) = (tensor.shape[1], tensor.shape[2], tensor.shape[3])
    let shape = [images.count, channels, high, wide]
    var made = [Double](repeating: 0, count: try Shape.count(shape, bits: 64))
    let (values, boxes) = (tensor.doubles(), regions.doubles())
    /// The four neighbors of a point with their factors; none far outside.
    func neighbors(_ y: Double, _ x: Double) -> [(flat: Int, factor: Double)] {
      guard y >= -1, y <= Double(height), x >= -1, x <= Double(width) else { return [] }
      func split(_ given: Double, _ size: Int) -> (low: Int, high: Int, rest: Double) {
        let value = max(given, 0)
        let low = Int(clamping: value)
        return low >= size - 1 ? (size - 1, size - 1, 0) : (low, low + 1, value - Double(low))
      }
      let (v, h) = (split(y, height), split(x, width))
      return [
        (v.low * width + h.low, (1 - v.rest) * (1 - h.rest)), (v.low * width + h.high, (1 - v.rest) * h.rest),
        (v.high * width + h.low, v.rest * (1 - h.rest)), (v.high * width + h.high, v.rest * h.rest),
      ]
    }
    for region in images.indices {
      let corners = (0..<4).map { boxes[4 * region + $0] * scale - (isHalf ? 0.5 : 0) }
      guard corners.allSatisfy({ abs($0) < 0x1p24 }) else {
        throw ONNXError.input("a region beyond any picture")
      }
      let sizes = (h: corners[3] - corners[1], w: corners[2] - corners[0])
      let (h, w) = isHalf ? sizes : (max(sizes.h, 1), max(sizes.w, 1))
      let (binH, binW) = (h / Double(high), w / Double(wide))
      let (countH, countW) =
        ratio > 0
        ? (ratio, ratio)
        : (max(Int(clamping: binH.rounded(.up)), 0), max(Int(clamping: binW.rounded(.up)), 0))
      for row in 0..<high {
        for column in 0..<wide {
          var points: [[(flat: Int, factor: Double)]] = []
          for i in 0..<countH {
            for j in 0..<countW {
              points.append(
                neighbors(
                  corners[1] + Double(row) * binH + (Double(i) + 0.5) * binH / Double(countH),
                  corners[0] + Double(column) * binW + (Double(j) + 0.5) * binW / Double(countW)))
            }
          }
          for channel in 0..<channels {
            let plane = (images[region] * channels + channel) * height * width
            let sampled = points.map { point in
              isMean
                ? point.reduce(0) { $0 + $1.factor * values[plane + $1.flat] }
                : point.map { $0.factor * values[plane + $0.flat] }.max() ?? 0
            }
            made[((region * channels + channel) * high + row) * wide + column] =
              isMean ? sampled.reduce(0, +) / Double(max(points.count, 1)) : sampled.max() ?? 0
          }
        }
      }
    }
    return Tensor(tensor.type, shape, doubles: made)
  }

  @Sendable private static func deformable(_ call: Call) throws -> Tensor {
    let (tensor, weights, offsets) = (try call.tensor(0), try call.tensor(1), try call.tensor(2))
    let (group, parts) = (try call.int("group", default: 1), try call.int("offset_group", default: 1))
    guard tensor.rank == 4, weights.rank == 4, group > 0, parts > 0,
      weights.shape[1] * group == tensor.shape[1],
      weights.shape[0] % group == 0, tensor.shape[1] % parts == 0
    else { throw ONNXError.malformed("weights of shape \(Shape.text(weights.shape))") }
    let windows = try Windows(call, input: Array(tensor.shape[2...]), kernel: Array(weights.shape[2...]))
    let (batch, channels, count) = (tensor.shape[0], tensor.shape[1], weights.shape[2] * weights.shape[3])
    let (area, places) = (tensor.shape[2] * tensor.shape[3], windows.output.reduce(1, *))
    guard offsets.shape == [batch, parts * count * 2] + windows.output else {
      throw ONNXError.malformed("offsets of shape \(Shape.text(offsets.shape))")
    }
    let sampler = GridSampler(mode: .linear, padding: .zeros, alignsCorners: true, sizes: windows.input)
    let (values, factors, moves) = (tensor.doubles(), weights.doubles(), offsets.doubles())
    let (mask, bias) = (try call.optional(4)?.doubles(), try call.optional(3)?.doubles())
    guard mask.map({ $0.count == batch * parts * count * places }) ?? true,
      bias.map({ $0.count == weights.shape[0] }) ?? true
    else { throw ONNXError.malformed("a mask or a bias of another size") }
    let (starts, steps) = (windows.starts, windows.offsets)
    let (inGroup, outGroup) = (weights.shape[1], weights.shape[0] / group)
    var made = [Double](repeating: 0, count: try Shape.count([batch, weights.shape[0], places], bits: 64))
    for image in 0..<batch {
      for place in 0..<places {
        for channel in 0..<channels {
          let part = channel / (channels / parts)
          for k in 0..<count {
            let first = ((image * parts + part) * count + k) * 2
            let y = Double(starts[place][0] + steps[k].index[0]) + moves[first * places + place]
            let x = Double(starts[place][1] + steps[k].index[1]) + moves[(first + 1) * places + place]
            var sample = sampler.linear([y, x]).reduce(0) {
              $0 + $1.factor * values[(image * channels + channel) * area + $1.flat]
            }
            if let mask { sample *= mask[((image * parts + part) * count + k) * places + place] }
            for out in channel / inGroup * outGroup..<(channel / inGroup + 1) * outGroup {
              made[(image * weights.shape[0] + out) * places + place] +=
                sample * factors[(out * inGroup + channel % inGroup) * count + k]
            }
          }
        }
        if let bias {
          for out in bias.indices { made[(image * weights.shape[0] + out) * places + place] += bias[out] }
        }
      }
    }
    return Tensor(tensor.type, [batch, weights.shape[0]] + windows.output, doubles: made)
  }
}
