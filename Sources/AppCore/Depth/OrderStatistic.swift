/// The value that would stand at `rank` if `values` were sorted; exact, without sorting them all.
///
/// A sorted sample of the values gives a bracket that very probably holds the rank; one pass counts the values
/// below it and collects those inside, and only these are sorted. Where the bracket misses, all are.
/// - Precondition: `values` holds no NaN and `rank` is one of its indices.
package func orderStatistic(_ values: [Double], rank: Int, scratch: inout [Double]) -> Double {
  precondition(values.indices.contains(rank), "rank \(rank) of \(values.count) values")
  let sampleCount = 512
  guard values.count > 4 * sampleCount else { return values.sorted()[rank] }
  // A prime step visits the values in an order that regular structure (image rows) does not follow.
  let step = values.count % 7919 == 0 ? 7907 : 7919
  var sample: [Double] = []
  sample.reserveCapacity(sampleCount)
  var index = 0
  for _ in 0..<sampleCount {
    sample.append(values[index])
    index = (index + step) % values.count
  }
  sample.sort()
  // Half a bracket of 5 % of the ranks is more than two standard deviations of a sample quantile.
  let centre = rank * sampleCount / values.count
  let margin = 26
  let low = centre - margin < 0 ? -Double.infinity : sample[centre - margin]
  let high = centre + margin >= sampleCount ? Double.infinity : sample[centre + margin]
  if scratch.count < values.count { scratch = [Double](repeating: 0, count: values.count) }
  var below = 0
  var inside = 0
  for value in values {
    below += value < low ? 1 : 0
    scratch[inside] = value
    inside += value >= low && value <= high ? 1 : 0
  }
  guard rank >= below, rank < below + inside else { return values.sorted()[rank] }
  return scratch[..<inside].sorted()[rank - below]
}

/// The upper median: the value at rank count / 2.
func median(_ values: [Double], scratch: inout [Double]) -> Double {
  orderStatistic(values, rank: values.count / 2, scratch: &scratch)
}
