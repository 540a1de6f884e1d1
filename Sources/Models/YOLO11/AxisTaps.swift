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
    self.init(cells: source, samples: (0..<count).map { HalfPixel($0, source: source, count: count) })
  }

  /// Enlarges `source` cells by a whole `factor`, crops `content` out of them and resamples it to `count`.
  init(source: Int, factor: Int, content: Range<Int>, count: Int) {
    precondition(factor >= 1 && content.lowerBound >= 0 && content.upperBound <= source * factor)
    let outer = (0..<count).map { HalfPixel($0, source: content.count, count: count) }
    guard factor > 1 else {
      self.init(cells: source, samples: outer.map { $0.shifted(by: content.lowerBound) })
      return
    }
    starts = []
    weights = []
    for sample in outer {
      let low = HalfPixel(content.lowerBound + sample.low, source: source, count: source * factor)
      let high = HalfPixel(content.lowerBound + sample.high, source: source, count: source * factor)
      append(cells: source, first: low.low) { taps in
        taps[low.low] += (1 - sample.fraction) * (1 - low.fraction)
        taps[low.high] += (1 - sample.fraction) * low.fraction
        taps[high.low] += sample.fraction * (1 - high.fraction)
        taps[high.high] += sample.fraction * high.fraction
      }
    }
  }

  private init(cells: Int, samples: [HalfPixel]) {
    starts = []
    weights = []
    for sample in samples {
      append(cells: cells, first: sample.low) { taps in
        taps[sample.low] += 1 - sample.fraction
        taps[sample.high] += sample.fraction
      }
    }
  }

  private mutating func append(cells: Int, first: Int, _ fill: (inout Taps) -> Void) {
    precondition(cells >= 3, "resampling needs three cells")
    var taps = Taps(start: min(first, cells - 3))
    fill(&taps)
    starts.append(taps.start)
    weights.append(taps.weights)
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
/// Single precision throughout, as in the reference.
private struct HalfPixel {
  var low: Int
  var high: Int
  let fraction: Float

  init(_ index: Int, source: Int, count: Int) {
    let scale = Float(source) / Float(count)
    let position = max(0, scale * (Float(index) + 0.5) - 0.5)
    low = min(Int(position), source - 1)
    high = min(low + 1, source - 1)
    fraction = min(max(position - Float(low), 0), 1)
  }

  func shifted(by cells: Int) -> HalfPixel {
    var copy = self
    copy.low += cells
    copy.high += cells
    return copy
  }
}
