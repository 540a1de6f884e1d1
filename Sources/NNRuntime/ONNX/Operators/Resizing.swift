import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  static let resizing: [Operator] = [
    Operator(
      "Resize",
      [
        "antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
        "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode",
      ], inputs: 1...4
    ) { call in
      let tensor = try call.tensor(0)
      guard call.version > 10 else {
        let scales = try call.tensor(1).doubles()
        return try Resizing(call, tensor, scales: scales, sizes: nil, region: nil, isOld: true).run()
      }
      let scales = try call.optional(2).flatMap { $0.count == 0 ? nil : $0.doubles() }
      let sizes = try call.optional(3).flatMap { $0.count == 0 ? nil : $0.integers() }
      let region = try call.optional(1).flatMap { $0.count == 0 ? nil : $0.doubles() }
      return try Resizing(call, tensor, scales: scales, sizes: sizes, region: region, isOld: false).run()
    },
    Operator("Upsample", versions: 1...9, ["mode", "scales", "height_scale", "width_scale"], inputs: 1...2) {
      call in
      let tensor = try call.tensor(0)
      var scales = try call.floats("scales") ?? call.optional(1)?.doubles()
      if let height = try call.float("height_scale"), let width = try call.float("width_scale") {
        scales = [1, 1, height, width]
      }
      return try Resizing(call, tensor, scales: scales, sizes: nil, region: nil, isOld: true).run()
    },
  ]
}

/// Interpolation, one axis after the other.
private struct Resizing {
  /// The weights of one position of an axis; `isOutside`: it takes the value for positions outside alone.
  private struct Sample {
    let weights: [(index: Int, factor: Double)]
    let isOutside: Bool
  }

  private let tensor: Tensor
  private let axes: [Int]
  private let scales: [Double]
  private let sizes: [Int]
  private let region: [Double]?
  private let mode: String
  private let coordinates: String
  private let nearest: String
  private let isAntialiased: Bool
  private let excludesOutside: Bool
  private let cubic: Double
  private let blank: Double

  init(
    _ call: Call, _ tensor: Tensor, scales given: [Double]?, sizes wanted: [Int]?, region: [Double]?,
    isOld: Bool
  ) throws {
    self.tensor = tensor
    axes = try Shape.axes(call.ints("axes") ?? Array(0..<tensor.rank), rank: tensor.rank)
    let name = try call.choice("mode", ["nearest", "linear", "cubic", "bilinear"])
    mode = name == "bilinear" ? "linear" : name
    coordinates =
      isOld
      ? "asymmetric"
      : try call.choice(
        "coordinate_transformation_mode",
        [
          "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
          "tf_crop_and_resize",
        ])
    nearest =
      isOld
      ? "floor"
      : try call.choice(
        "nearest_mode", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    isAntialiased = try call.flag("antialias")
    excludesOutside = try call.flag("exclude_outside")
    cubic = try call.float("cubic_coeff_a", default: -0.75)
    blank = try call.float("extrapolation_value", default: 0)
    let policy = try call.choice("keep_aspect_ratio_policy", ["stretch", "not_larger", "not_smaller"])
    guard isAntialiased == false || mode != "nearest" else {
      throw ONNXError.malformed("nearest with antialias")
    }
    guard tensor.type.number != nil else { throw unsupported(tensor.type) }
    if coordinates == "tf_crop_and_resize" {
      guard let region, region.count == 2 * axes.count else {
        throw ONNXError.malformed("there is no region to crop")
      }
      self.region = region
    } else {
      self.region = nil
    }
    let own = axes.map { tensor.shape[$0] }
    if let wanted {
      guard wanted.count == axes.count, wanted.allSatisfy({ $0 >= 0 }), !own.contains(0) else {
        throw ONNXError.malformed("sizes \(wanted) for \(counted(axes.count, "axis", "axes"))")
      }
      let ratios = zip(wanted, own).map { Double($0) / Double($1) }
      if policy == "stretch" {
        (scales, sizes) = (ratios, wanted)
      } else {
        let ratio = policy == "not_larger" ? ratios.min() ?? 1 : ratios.max() ?? 1
        scales = ratios.map { _ in ratio }
        sizes = own.map { Int(clamping: ratio * Double($0) + 0.5) }
      }
    } else {
      guard let given, given.count == axes.count, given.allSatisfy({ $0 > 0 && $0 < 0x1p31 }) else {
        throw ONNXError.malformed(
          "there are neither scales nor sizes for \(counted(axes.count, "axis", "axes"))")
      }
      scales = given
      // Scales are of single precision: 2/3 of 3 is 2.
      sizes = zip(given, own).map { Int(clamping: ($0 * Double($1)).rounded(.down)) }
    }
    var shape = tensor.shape
    for (axis, size) in zip(axes, sizes) { shape[axis] = size }
    _ = try Shape.count(shape, bits: 64)
  }

  func run() throws -> Tensor {
    var result = tensor
    for (index, axis) in axes.enumerated() {
      let isWhole = region.map { $0[index] == 0 && $0[index + axes.count] == 1 } ?? true
      if sizes[index] == result.shape[axis], abs(scales[index] - 1) < 1e-9, isWhole { continue }
      guard result.shape[axis] > 0 else { throw ONNXError.malformed("an empty axis cannot be resized") }
      let samples = (0..<sizes[index]).map { sample($0, index, result.shape[axis]) }
      result = try resized(result, axis, samples)
    }
    // Integers are rounded once, in the end.
    guard result.type != tensor.type else { return result }
    let (low, high) = tensor.type.range
    return Tensor(
      tensor.type, result.shape,
      doubles: result.doubles().map { min(max($0.rounded(.toNearestOrEven), low), high) })
  }

  private func resized(_ tensor: Tensor, _ axis: Int, _ samples: [Sample]) throws -> Tensor {
    let single = samples.allSatisfy { $0.weights.count == 1 && $0.weights[0].factor == 1 && !$0.isOutside }
    if single {
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      positions[axis] = samples.map { $0.weights[0].index }
      return try tensor.selecting(positions)
    }
    let (outer, size, inner) = Shape.around(axis, of: tensor.shape)
    let values = tensor.doubles()
    var made = [Double](repeating: blank, count: try Shape.count([outer, samples.count, inner], bits: 64))
    for row in 0..<outer {
      for (position, sample) in samples.enumerated() where !sample.isOutside {
        let target = (row * samples.count + position) * inner
        for column in 0..<inner { made[target + column] = 0 }
        for weight in sample.weights {
          let source = (row * size + weight.index) * inner
          for column in 0..<inner { made[target + column] += weight.factor * values[source + column] }
        }
      }
    }
    var shape = tensor.shape
    shape[axis] = samples.count
    return tensor.type.isFloat ? Tensor(tensor.type, shape, doubles: made) : Tensor(shape, made)
  }

  /// Where a position of the result lies in the input.
  ///
  /// It is computed in the single precision that scales have: a quotient that is nearly a whole number falls on the same
  /// side of it as in ONNX Runtime, and far along an axis factors are rounded as there.
  private func source(_ position: Int, _ index: Int, _ size: Int) -> (place: Double, isOutside: Bool) {
    let isSingle = !isAntialiased && coordinates != "tf_crop_and_resize"
    return isSingle
      ? (Double(place(Float(position), index, size)), false) : exactSource(Double(position), index, size)
  }

  private func exactSource(_ y: Double, _ index: Int, _ size: Int) -> (place: Double, isOutside: Bool) {
    guard coordinates == "tf_crop_and_resize" else { return (place(y, index, size), false) }
    let (length, last) = (scales[index] * Double(size), Double(size - 1))
    let (start, end) = (region![index], region![index + axes.count])
    let within = length == 1 ? (end - start) * last / 2 : y * (end - start) * last / (length - 1)
    let place = within + start * last
    return (place, place < 0 || place > last)
  }

  private func place<Number: BinaryFloatingPoint>(_ y: Number, _ index: Int, _ size: Int) -> Number {
    let (scale, length) = (Number(scales[index]), Number(scales[index] * Double(size)))
    switch coordinates {
    case "align_corners": return length == 1 ? 0 : y * Number(size - 1) / (length - 1)
    case "asymmetric": return y / scale
    case "pytorch_half_pixel": return sizes[index] == 1 ? 0 : (y + 0.5) / scale - 0.5
    case "half_pixel_symmetric":
      let offset = Number(size) / 2 * (1 - Number(sizes[index]) / length)
      return offset + (y + 0.5) / scale - 0.5
    default: return (y + 0.5) / scale - 0.5
    }
  }

  private func sample(_ position: Int, _ index: Int, _ size: Int) -> Sample {
    let (place, isOutside) = source(position, index, size)
    let base = place.rounded(.down)
    // A whole position is the right end of the interval before it.
    let ratio = place == base ? 1 : place - base
    let factors = coefficients(ratio, scales[index])
    let count = factors.count
    var first = Int(clamping: base)
    if count.isMultiple(of: 2) {
      first += place == base ? -count / 2 : 1 - count / 2
    } else {
      first += (place - base <= 0.5 ? 0 : 1) - (count - 1) / 2
    }
    var weights = factors.enumerated().map { (index: first + $0.offset, factor: $0.element) }
    if excludesOutside {
      weights = weights.filter { (0..<size).contains($0.index) }
      let total = weights.map(\.factor).reduce(0, +)
      if total != 0 { weights = weights.map { ($0.index, $0.factor / total) } }
    }
    return Sample(
      weights: weights.filter { $0.factor != 0 }.map { (min(max($0.index, 0), size - 1), $0.factor) },
      isOutside: isOutside)
  }

  /// The factors of neighbors, the place being `ratio` after the middle left one.
  private func coefficients(_ ratio: Double, _ scale: Double) -> [Double] {
    switch mode {
    case "nearest":
      let isRight =
        switch nearest {
        case "floor": ratio == 1
        case "ceil": true
        case "round_prefer_ceil": ratio >= 0.5
        default: ratio > 0.5
        }
      return isRight ? [0, 1] : [1, 0]
    case "linear":
      guard isAntialiased else { return [1 - ratio, ratio] }
      let shrink = min(scale, 1)
      let start = Int(clamping: (-1 / shrink).rounded(.down)) + 1
      return normalized((start..<2 - start).map { max(0, 1 - abs((Double($0) - ratio) * shrink)) })
    default:
      func kernel(_ distance: Double) -> Double {
        let x = abs(distance)
        if x <= 1 { return (cubic + 2) * x * x * x - (cubic + 3) * x * x + 1 }
        return x < 2 ? cubic * x * x * x - 5 * cubic * x * x + 8 * cubic * x - 4 * cubic : 0
      }
      guard isAntialiased else { return [ratio + 1, ratio, 1 - ratio, 2 - ratio].map(kernel) }
      let shrink = min(scale, 1)
      let start = Int(clamping: (-2 / shrink).rounded(.down)) + 1
      return normalized((start..<2 - start).map { kernel(shrink * (Double($0) - ratio)) })
    }
  }

  private func normalized(_ factors: [Double]) -> [Double] {
    let total = factors.reduce(0, +)
    return factors.map { $0 / total }
  }
}
