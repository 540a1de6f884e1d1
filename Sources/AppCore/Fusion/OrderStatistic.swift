/// The value that would stand at `rank` if `values` were sorted; exact, without sorting them all.
///
/// A sorted sample of the values gives a bracket that very probably holds the rank; one pass counts the
/// values below it and collects those inside, among which the search continues. Where the bracket misses, all
/// values are sorted. `scratch` is working space that callers keep between calls.
/// - Precondition: `values` holds no NaN and `rank` is one of its indices.
package func orderStatistic(_ values: [Double], rank: Int, scratch: inout [Double]) -> Double {
  precondition(values.indices.contains(rank), "rank \(rank) of \(values.count) values")
  guard let bracket = Bracket(values.span, rank: rank) else { return selected(values, rank: rank) }
  if scratch.count < values.count { scratch = [Double](repeating: 0, count: values.count) }
  let found = bracket.collect(values.span, into: &scratch)
  guard rank >= found.below, rank < found.below + found.inside else { return values.sorted()[rank] }
  let rest = Array(scratch[..<found.inside])
  guard let inner = Bracket(rest.span, rank: rank - found.below) else {
    return selected(rest, rank: rank - found.below)
  }
  let core = inner.collect(rest.span, into: &scratch)
  let last = rank - found.below - core.below
  guard last >= 0, last < core.inside else { return rest.sorted()[rank - found.below] }
  return selected(Array(scratch[..<core.inside]), rank: last)
}

/// The value that would stand at `rank` if a few values were sorted (quickselect, Hoare 1961): linear in the mean, and as slow
/// as the square of their number at worst, so that it is for few.
private func selected(_ values: [Double], rank: Int) -> Double {
  var (rest, count, rank) = (values, values.count, rank)
  var (lower, upper) = (rest, rest)
  while count > 1 {
    let (first, middle, last) = (rest[0], rest[count / 2], rest[count - 1])
    let pivot = max(min(first, middle), min(max(first, middle), last))
    let (less, greater) = split(rest.span.extracting(0..<count), by: pivot, &lower, &upper)
    if rank < less {
      swap(&rest, &lower)
      count = less
    } else if rank >= count - greater {
      rank -= count - greater
      swap(&rest, &upper)
      count = greater
    } else {
      return pivot
    }
  }
  return rest[0]
}

/// Moves the values less than the pivot and those greater to the fronts of two arrays, without branches; how many they are.
private func split(
  _ values: Span<Double>, by pivot: Double, _ lower: inout [Double], _ upper: inout [Double]
) -> (less: Int, greater: Int) {
  var lower = lower.mutableSpan
  var upper = upper.mutableSpan
  var (less, greater) = (0, 0)
  for index in values.indices {
    let value = values[index]
    lower[less] = value
    upper[greater] = value
    less &+= value < pivot ? 1 : 0
    greater &+= value > pivot ? 1 : 0
  }
  return (less, greater)
}

/// Two values between which the value at a rank very probably lies.
private struct Bracket {
  static let sampleCount = 256
  /// Ranks of the sample on either side: three standard deviations of its median.
  static let margin = 24

  let low: Double
  let high: Double

  /// A bracket from a sample; nil for so few values that sorting them is as fast.
  init?(_ values: Span<Double>, rank: Int) {
    guard values.count > 4 * Self.sampleCount else { return nil }
    // A prime step visits the values in an order that regular structure, such as image rows, does not follow.
    let step = values.count % 7919 == 0 ? 7907 : 7919
    var sample: [Double] = []
    sample.reserveCapacity(Self.sampleCount)
    var index = 0
    for _ in 0..<Self.sampleCount {
      sample.append(values[index])
      index = (index + step) % values.count
    }
    sample.sort()
    let center = rank * Self.sampleCount / values.count
    low = center < Self.margin ? -.infinity : sample[center - Self.margin]
    high = center + Self.margin >= Self.sampleCount ? .infinity : sample[center + Self.margin]
  }

  /// Moves the values inside to the front of `scratch` and counts them and those below.
  func collect(_ values: Span<Double>, into scratch: inout [Double]) -> (below: Int, inside: Int) {
    var below = 0
    var inside = 0
    var scratch = scratch.mutableSpan
    precondition(values.count <= scratch.count)
    for index in 0..<values.count {
      let value = values[index]
      scratch[inside] = value
      // Of what is not above, all that is not below.
      let isLess = value < low ? 1 : 0
      below &+= isLess
      inside &+= (value <= high ? 1 : 0) &- isLess
    }
    return (below, inside)
  }
}

/// The upper median: the value at rank count / 2.
func median(_ values: [Double], scratch: inout [Double]) -> Double {
  orderStatistic(values, rank: values.count / 2, scratch: &scratch)
}
