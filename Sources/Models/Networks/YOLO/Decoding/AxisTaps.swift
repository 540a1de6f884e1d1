/// Linear resampling along one axis: two neighboring cells for every output sample.
///
/// Half-pixel centers, clamped at the ends, single precision: as `torch.nn.functional.interpolate` with
/// `align_corners=False`.
struct AxisTaps: Sendable {
  /// First source cell of every output sample; they never decrease.
  private(set) var starts: [Int] = []
  /// The weights of that cell and the next.
  private(set) var weights: [SIMD2<Float>] = []

  var count: Int { starts.count }

  /// Resamples the cells of `content`, a part of `source` cells, to `count` samples.
  init(source: Int, content: Range<Int>, count: Int) {
    precondition(source >= 2 && content.lowerBound >= 0 && content.upperBound <= source && !content.isEmpty)
    let scale = Float(content.count) / Float(count)
    for index in 0..<count {
      let position = max(0, scale * (Float(index) + 0.5) - 0.5)
      let low = min(Int(position), content.count - 1)
      let high = min(low + 1, content.count - 1)
      let fraction = min(max(position - Float(low), 0), 1)
      let start = min(content.lowerBound + low, source - 2)
      var weight = SIMD2<Float>(repeating: 0)
      weight[content.lowerBound + low - start] += 1 - fraction
      weight[content.lowerBound + high - start] += fraction
      starts.append(start)
      weights.append(weight)
    }
  }

  /// The samples that draw from any of the given cells.
  func samples(touching cells: Range<Int>) -> Range<Int> {
    let first = starts.partitioningIndex { $0 + 1 >= cells.lowerBound }
    let end = starts.partitioningIndex { $0 >= cells.upperBound }
    return first..<max(first, end)
  }
}

extension [Int] {
  /// The first index whose element satisfies a condition that, once met, stays met.
  fileprivate func partitioningIndex(where condition: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
