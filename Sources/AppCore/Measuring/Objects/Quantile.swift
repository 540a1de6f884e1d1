import FileFormats

/// The value below which a share of unsorted values lies; NaN for none.
///
/// It is selected, not sorted for: the same value in a fraction of the time.
package func quantile(_ values: [Double], _ share: Double) -> Double {
  guard !values.isEmpty else { return .nan }
  var scratch: [Double] = []
  return orderStatistic(values, rank: rank(share, of: values.count), scratch: &scratch)
}

/// Two quantiles of the same values, the lesser share's first: as `quantile`.
///
/// Values are counted by where they lie between the least and the greatest, and selected from those where a rank lies.
func quantiles(_ values: [Double], _ first: Double, _ second: Double) -> (Double, Double) {
  var (least, greatest) = (Double.infinity, -Double.infinity)
  for value in values {
    least = value < least ? value : least
    greatest = value > greatest ? value : greatest
  }
  let places = 256
  let scale = Double(places - 1) / (greatest - least)
  guard values.count > 64, scale.isFinite, scale > 0 else {
    return (quantile(values, first), quantile(values, second))
  }
  /// Adding 2^52 leaves the nearest integer in a number's lowest bits.
  @inline(__always)
  func place(_ value: Double) -> Int {
    Int(truncatingIfNeeded: ((value - least) * scale + 0x1p52).bitPattern & 0xff)
  }
  var counts = [Int32](repeating: 0, count: places)
  for value in values { counts[place(value)] += 1 }
  func selected(_ share: Double) -> Double {
    var (left, there) = (rank(share, of: values.count), 0)
    while left >= counts[there] {
      left -= Int(counts[there])
      there += 1
    }
    var scratch: [Double] = []
    return orderStatistic(values.filter { place($0) == there }, rank: left, scratch: &scratch)
  }
  return (selected(first), selected(second))
}

/// The value below which a share of sorted values lies; NaN for none.
func sortedQuantile(_ sorted: [Double], _ share: Double) -> Double {
  sorted.isEmpty ? .nan : sorted[rank(share, of: sorted.count)]
}

private func rank(_ share: Double, of count: Int) -> Int {
  min(count - 1, Int(clamping: share * Double(count)))
}
