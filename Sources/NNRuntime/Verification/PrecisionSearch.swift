/// Which of some layers to lower, so that most is saved within an error.
///
/// Errors of single layers add up like those of independent roundings, by their squares; so layers are taken in the order
/// of squared error a unit saved, and how many is found by measuring.
package struct PrecisionSearch {
  /// A choice that was measured.
  package struct Point: Sendable, Equatable {
    /// Number of layers lowered, the first of the order.
    package let count: Int
    /// Their saving together.
    package let saved: Double
    /// The measured error, and the one that the sum of squares predicts.
    package let error, expected: Double
  }

  /// Names of the layers worth lowering, cheapest first.
  package let order: [String]
  /// Measured points, by count.
  package private(set) var points: [Point] = []
  private let measure: (Set<String>) throws -> Double
  private let savings, squares: [Double]

  /// Orders layers: `saved` in any unit, those that save nothing are left out.
  ///
  /// `base`: the error with none lowered.
  package init(
    _ layers: [(name: String, error: Double, saved: Double)], base: Double,
    measure: @escaping (Set<String>) throws -> Double
  ) {
    let sorted = layers.filter { $0.saved > 0 }.sorted {
      let (one, other) = ($0.error * $0.error / $0.saved, $1.error * $1.error / $1.saved)
      return (one, $0.name) < (other, $1.name)
    }
    order = sorted.map(\.name)
    self.measure = measure
    savings = sorted.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.saved) }
    squares = sorted.reduce(into: [base * base]) { $0.append($0[$0.count - 1] + $1.error * $1.error) }
  }

  /// The first `count` layers of the order.
  package func layers(_ count: Int) -> Set<String> { Set(order.prefix(count)) }

  /// Measures the first `count` layers lowered, once.
  package mutating func point(_ count: Int) throws -> Point {
    if let known = points.first(where: { $0.count == count }) { return known }
    let point = Point(
      count: count, saved: savings[count], error: try measure(layers(count)),
      expected: squares[count].squareRoot())
    points.append(point)
    points.sort { $0.count < $1.count }
    return point
  }

  /// Takes over what was measured with all layers lowered.
  package mutating func know(whole error: Double) {
    precondition(!points.contains { $0.count == order.count }, "measured already")
    let expected = squares[order.count].squareRoot()
    points.append(Point(count: order.count, saved: savings[order.count], error: error, expected: expected))
  }

  /// Measures `count` points spread evenly over the order, ends included.
  package mutating func curve(_ count: Int) throws {
    guard count > 1 else { return }
    for index in 0..<count { _ = try point(order.count * index / (count - 1)) }
  }

  /// The most layers whose measured error is at most `error`; nil where even none exceeds it.
  package mutating func most(within error: Double) throws -> Point? {
    var best = try point(0)
    guard best.error <= error else { return nil }
    var (low, high) = (0, order.count)
    let whole = try point(high)
    if whole.error <= error { return whole }
    while high - low > 1 {
      let middle = try point((low + high) / 2)
      if middle.error <= error { (low, best) = (middle.count, middle) } else { high = middle.count }
    }
    return best
  }
}
