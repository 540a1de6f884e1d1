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
    let (positions, deviations) = (values.positions, values.deviations)
    let n = positions.count
    /// How many positions lie at or beyond a place.
    func rank(_ place: Double) -> Int {
      var (low, high) = (0, n)
      while low < high {
        let middle = (low + high) / 2
        if positions[middle] >= place { low = middle + 1 } else { high = middle }
      }
      return low
    }
    guard n >= 4 else {
      (position, spread, count) = (positions[0], deviations[0], 0)
      return
    }
    // A few strays do not count as the extent.
    let span = positions[3] - positions[n - 4]
    let outer = max(rank(positions[3] - Self.outerShare * span), 4)
    var end = 0
    let gathered = (0..<outer).map { start in
      while end < n, positions[end] >= positions[start] - 4 * width { end += 1 }
      return end - start
    }
    let least = max(4, Self.leastGathering * Double(gathered.max() ?? 0))
    let first = gathered.firstIndex { Double($0) >= least } ?? 0
    let own = quantile(Array(deviations[first..<first + max(1, gathered[first])]), 0.5)
    var deviation = max(own, width / 3)
    var middle = positions[first] - min(own, width)
    var members = first..<first
    func settle() {
      for _ in 0..<20 {
        let start = rank(middle + reach * deviation)
        let end = rank(middle - reach * deviation)
        guard end > start else { return }
        members = start..<end
        let mean = positions[members].reduce(0, +) / Double(members.count)
        let isSettled = abs(mean - middle) < 1e-5
        middle = mean
        if isSettled { return }
      }
    }
    settle()
    let inside = rank(middle - 7 * deviation) - members.upperBound
    if Double(members.upperBound - first) >= Self.distinct * Double(inside),
      middle >= positions[first] - 8 * max(deviation, width), !members.isEmpty
    {
      // The surface continues inside the cluster: where the cluster is narrower than predicted, fewer points
      // belong to it.
      for _ in 0..<3 {
        let apart = positions[members].map { abs($0 - middle) }
        deviation = min(deviation, max(1.4826 * quantile(apart, 0.5), Self.narrowest * width))
        settle()
      }
      var (sum, total) = (0.0, 0.0)
      for member in members {
        let own = max(deviations[member], deviation / 3)
        sum += positions[member] / (own * own)
        total += 1 / (own * own)
      }
      (position, spread, count) = (sum / total, deviation, members.count)
      return
    }
    for index in first..<min(n, first + gathered[first] + 5) {
      let end = rank(positions[index] - 2 * deviation)
      if end - first >= 2, Double(index - first) >= Self.beyondTangent * Double(end - first) {
        (position, spread, count) = (positions[index], deviation, end - first)
        return
      }
    }
    (position, spread, count) = (positions[first], deviation, members.count)
  }
}
