/// How far an array of numbers is from a reference.
public struct NumericComparison: Sendable, CustomStringConvertible {
  /// The largest absolute difference; infinite where exactly one of the two is not finite.
  public let maximumAbsolute: Double
  /// The flat index of the largest difference, nil for empty arrays.
  public let location: Int?
  /// The found and the expected value at `location`.
  public let values: (found: Double, expected: Double)?
  /// The Euclidean norm of the difference over that of the reference (over 1 if that is zero).
  public let relativeL2: Double
  /// The number of elements compared.
  public let count: Int

  /// Compares element by element.
  public init<Value: BinaryFloatingPoint>(_ found: [Value], to expected: [Value]) {
    precondition(found.count == expected.count, "arrays of \(found.count) and \(expected.count) elements")
    var worst = -1.0
    var location: Int?
    var squares = 0.0
    var reference = 0.0
    for index in found.indices {
      let a = Double(found[index])
      let b = Double(expected[index])
      var difference = abs(a - b)
      if difference.isNaN { difference = a.isNaN && b.isNaN || a == b ? 0 : .infinity }
      squares += difference * difference
      if b.isFinite { reference += b * b }
      if difference > worst {
        worst = difference
        location = index
      }
    }
    maximumAbsolute = max(worst, 0)
    self.location = location
    values = location.map { (Double(found[$0]), Double(expected[$0])) }
    relativeL2 = squares.squareRoot() / (reference > 0 ? reference.squareRoot() : 1)
    count = found.count
  }

  /// The index of the largest difference within an array of `shape`.
  public func index(in shape: [Int]) -> [Int]? {
    guard var flat = location else { return nil }
    return shape.reversed().map { extent in
      defer { flat /= extent }
      return flat % extent
    }.reversed()
  }

  /// One line for a failed expectation.
  public var description: String {
    guard let location, let values else { return "no elements" }
    return "max abs \(maximumAbsolute) at \(location) (found \(values.found), expected \(values.expected)), "
      + "relative L2 \(relativeL2), \(count) elements"
  }
}

/// The largest absolute difference of two arrays and its flat index.
public func maximumAbsoluteDifference<Value: BinaryFloatingPoint>(
  _ found: [Value], _ expected: [Value]
) -> (value: Double, location: Int?) {
  let comparison = NumericComparison(found, to: expected)
  return (comparison.maximumAbsolute, comparison.location)
}

/// The Euclidean norm of the difference of two arrays over that of the second.
public func relativeL2<Value: BinaryFloatingPoint>(_ found: [Value], _ expected: [Value]) -> Double {
  NumericComparison(found, to: expected).relativeL2
}
