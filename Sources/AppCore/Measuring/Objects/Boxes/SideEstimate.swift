/// How far an object reaches in one direction, from positions with noise.
///
/// The extreme position is too far out by the noise, a quantile too far in by what it cuts off. But the points of a face
/// that ends the object, or of an edge, gather at one position, and their mean is neither: the estimate is the
/// outermost place where positions gather (mean shift, Comaniciu and Meer, 2002). Where they thin out instead, as
/// towards the tangent of a curved surface, it is the place beyond which there are as many as noise carries there.
package struct SideEstimate: Equatable {
  /// Gatherings further in than this share of the whole extent are not the object's end.
  private static let outerShare = 0.25
  /// A gathering has this share of the positions of the fullest one.
  private static let leastGathering = 0.3
  /// Least ratio of the positions at a face or an edge to those in a band of twice its width inside it.
  private static let distinct = 1.5
  /// No gathering is narrower than this share of the usual standard deviation.
  private static let narrowest = 0.1
  /// Share of the positions within two standard deviations of a tangent's end that lies beyond it.
  private static let beyondTangent = 0.3

  /// The position.
  package let position: Double
  /// The spread of the positions that it rests on.
  package let spread: Double
  /// How many they are.
  package let count: Int

  package init(position: Double, spread: Double, count: Int) {
    (self.position, self.spread, self.count) = (position, spread, count)
  }

  /// The standard error of the position.
  package var standardError: Double { spread / Double(max(count, 1)).squareRoot() }

  /// The same at another position.
  func moved(to position: Double) -> SideEstimate {
    SideEstimate(position: position, spread: spread, count: count)
  }

  /// - Parameters:
  ///   - values: At least one position.
  ///   - width: The usual standard deviation of an end.
  ///   - reach: Standard deviations around a gathering's middle that belong to it.
  init(_ values: SpotPositions, width: Double, reach: Double = 2.5) {
    let (positions, deviations) = (values.positions.span, values.deviations.span)
    let n = positions.count
    guard n >= 4 else {
      (position, spread, count) = (positions[0], deviations[0], 0)
      return
    }
    // A few strays do not count as the extent.
    let span = positions[3] - positions[n - 4]
    let outer = max(Self.rank(positions[3] - Self.outerShare * span, positions), 4)
    var end = 0
    var gathered = [Int](repeating: 0, count: outer)
    var most = 0
    for start in 0..<outer {
      let last = positions[start] - 4 * width
      while end < n, positions[end] >= last { end += 1 }
      gathered[start] = end - start
      most = max(most, end - start)
    }
    let least = max(4, Self.leastGathering * Double(most))
    let first = gathered.firstIndex { Double($0) >= least } ?? 0
    let own = quantile(Array(values.deviations[first..<first + max(1, gathered[first])]), 0.5)
    var deviation = max(own, width / 3)
    var gathering = Gathering(middle: positions[first] - min(own, width), first: first)
    gathering.settle(positions, within: reach * deviation)
    let inside = Self.rank(gathering.middle - 7 * deviation, positions) - gathering.members.upperBound
    let isDistinct = Double(gathering.members.upperBound - first) >= Self.distinct * Double(inside)
    if isDistinct, gathering.middle >= positions[first] - 8 * max(deviation, width),
      !gathering.members.isEmpty
    {
      // The surface continues inside the cluster: where the cluster is narrower than predicted, fewer points
      // belong to it.
      for _ in 0..<3 {
        let apart = gathering.medianDistance(positions)
        deviation = min(deviation, max(1.4826 * apart, Self.narrowest * width))
        gathering.settle(positions, within: reach * deviation)
      }
      var (sum, total) = (0.0, 0.0)
      for member in gathering.members {
        let own = max(deviations[member], deviation / 3)
        sum += positions[member] / (own * own)
        total += 1 / (own * own)
      }
      (position, spread, count) = (sum / total, deviation, gathering.members.count)
      return
    }
    for index in first..<min(n, first + gathered[first] + 5) {
      let end = Self.rank(positions[index] - 2 * deviation, positions)
      if end - first >= 2, Double(index - first) >= Self.beyondTangent * Double(end - first) {
        (position, spread, count) = (positions[index], deviation, end - first)
        return
      }
    }
    (position, spread, count) = (positions[first], deviation, gathering.members.count)
  }

  /// How many of some positions, the farthest out first, lie at or beyond a place.
  @inline(__always)
  private static func rank(_ place: Double, _ positions: Span<Double>) -> Int {
    // Without branches: which way it goes cannot be predicted.
    var (low, count) = (0, positions.count)
    while count > 0 {
      let half = (count &+ 1) / 2
      let isBeyond = positions[low &+ half &- 1] >= place
      low &+= isBeyond ? half : 0
      count = isBeyond ? count &- half : half &- 1
    }
    return low
  }

  /// Positions around a place that moves to their mean.
  private struct Gathering {
    private(set) var middle: Double
    private(set) var members: Range<Int>
    /// The sum of some positions from the first member on.
    private var sum = 0.0
    private var summed = 0..<0

    init(middle: Double, first: Int) {
      self.middle = middle
      members = first..<first
    }

    mutating func settle(_ positions: Span<Double>, within reach: Double) {
      for _ in 0..<20 {
        let start = rank(middle + reach, positions)
        let end = rank(middle - reach, positions)
        guard end > start else { return }
        members = start..<end
        // In their own order from the first on: a longer sum continues a shorter one.
        if start != summed.lowerBound || end < summed.upperBound { (sum, summed) = (0, start..<start) }
        for member in summed.upperBound..<end { sum += positions[member] }
        summed = start..<end
        let mean = sum / Double(members.count)
        let isSettled = abs(mean - middle) < 1e-5
        middle = mean
        if isSettled { return }
      }
    }

    /// The median of the members' distances from the middle, which rise to either side of it.
    func medianDistance(_ positions: Span<Double>) -> Double {
      let rank = min(members.count - 1, members.count / 2) + 1
      let split = min(max(SideEstimate.rank(middle, positions), members.lowerBound), members.upperBound)
      let (outwards, inwards) = (split - members.lowerBound, members.upperBound - split)
      func outer(_ index: Int) -> Double { abs(positions[split - 1 - index] - middle) }
      func inner(_ index: Int) -> Double { abs(positions[split + index] - middle) }
      // How many of the nearest lie outwards.
      var (low, high) = (max(0, rank - inwards), min(outwards, rank))
      while low < high {
        let middle = (low + high) / 2
        if outer(middle) < inner(rank - middle - 1) { low = middle + 1 } else { high = middle }
      }
      return max(low > 0 ? outer(low - 1) : 0, rank > low ? inner(rank - low - 1) : 0)
    }
  }
}
