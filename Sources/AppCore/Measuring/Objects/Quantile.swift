import FileFormats

/// The value below which a share of unsorted values lies; NaN for none.
///
/// It is selected, not sorted for: the same value in a fraction of the time.
package func quantile(_ values: [Double], _ share: Double) -> Double {
  guard !values.isEmpty else { return .nan }
  var scratch: [Double] = []
  return orderStatistic(values, rank: rank(share, of: values.count), scratch: &scratch)
}

/// The value below which a share of sorted values lies; NaN for none.
func sortedQuantile(_ sorted: [Double], _ share: Double) -> Double {
  sorted.isEmpty ? .nan : sorted[rank(share, of: sorted.count)]
}

private func rank(_ share: Double, of count: Int) -> Int {
  min(count - 1, Int(clamping: share * Double(count)))
}
