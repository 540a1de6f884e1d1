/// Linear resampling along one axis, as three consecutive taps for every output sample.
///
/// One bilinear pass needs two taps; two passes in a row need three once the first enlarges, because
/// neighbouring samples of the intermediate grid then lie at most one cell apart.
struct AxisTaps: Sendable {
  /// First source cell of every output sample.
  private(set) var starts: [Int]
  /// The weights of the three cells from there on.
  private(set) var weights: [SIMD4<Float>]

  var count: Int { starts.count }

  /// Resamples `source` cells to `count` samples, half-pixel centres, clamped at the ends.
  init(source: Int, count: Int) {
    self.init(source: source, factor: 1, content: 0..<source, count: count)
  }

  /// Enlarges `source` cells by a whole `factor`, crops `content` out of them and resamples it to `count`.
  init(source: Int, factor: Int, content: Range<Int>, count: Int) {
    precondition(factor >= 1 && content.lowerBound >= 0 && content.upperBound <= source * factor)
    precondition(source >= 3, "resampling needs three cells")
    starts = []
    weights = []
    for index in 0..<count {
      let sample = HalfPixel(index, source: content.count, count: count)
      let low = HalfPixel(content.lowerBound + sample.low, source: source, count: source * factor)
      let high = HalfPixel(content.lowerBound + sample.high, source: source, count: source * factor)
      var taps = Taps(start: min(low.low, source - 3))
      taps[low.low] += (1 - sample.fraction) * (1 - low.fraction)
      taps[low.high] += (1 - sample.fraction) * low.fraction
      taps[high.low] += sample.fraction * (1 - high.fraction)
      taps[high.high] += sample.fraction * high.fraction
      starts.append(taps.start)
      weights.append(taps.weights)
    }
  }

  private struct Taps {
    let start: Int
    var weights = SIMD4<Float>(repeating: 0)

    subscript(cell: Int) -> Float {
      get { weights[cell - start] }
      set { weights[cell - start] = newValue }
    }
  }
}

/// One output sample of a linear pass: the two cells beside it and how far it lies towards the second.
///
/// Single precision throughout, as in the reference.
private struct HalfPixel {
  let low: Int
  let high: Int
  let fraction: Float

  init(_ index: Int, source: Int, count: Int) {
    let scale = Float(source) / Float(count)
    let position = max(0, scale * (Float(index) + 0.5) - 0.5)
    low = min(Int(position), source - 1)
    high = min(low + 1, source - 1)
    fraction = min(max(position - Float(low), 0), 1)
  }
}
