/// Statistics of a tensor's elements.
package struct TensorStatistics: Sendable, Equatable {
  /// Number of elements.
  package let count: Int
  /// The least and the largest finite element; 0 where there is none.
  package let minimum, maximum: Double
  /// Arithmetic mean and standard deviation of the finite elements, in double precision.
  package let mean, deviation: Double
  /// Elements that are infinite or NaN.
  package let nonFinite: Int

  /// Reads all elements twice: the deviation is that from the mean, not a difference of sums of squares.
  package init(_ tensor: Tensor) {
    let elements = tensor.floats()
    var (minimum, maximum) = (Float.infinity, -Float.infinity)
    var (sum, finite) = (0.0, 0)
    for element in elements where element.isFinite {
      minimum = min(minimum, element)
      maximum = max(maximum, element)
      sum += Double(element)
      finite += 1
    }
    let mean = finite > 0 ? sum / Double(finite) : 0
    var squares = 0.0
    for element in elements where element.isFinite {
      squares += (Double(element) - mean) * (Double(element) - mean)
    }
    count = elements.count
    nonFinite = elements.count - finite
    self.minimum = finite > 0 ? Double(minimum) : 0
    self.maximum = finite > 0 ? Double(maximum) : 0
    self.mean = mean
    deviation = finite > 0 ? (squares / Double(finite)).squareRoot() : 0
  }
}
