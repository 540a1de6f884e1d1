/// The range of a kind of number within which the program's arithmetic stays finite.
package protocol NumberBounds {
  static var range: ClosedRange<Double> { get }
  /// The range in words, to follow "must be": `meters from 0 to 1,000,000`.
  static var expected: String { get }
}

/// A number from outside that its kind's bounds hold.
package struct Bounded<Bounds: NumberBounds>: Hashable, Comparable, Sendable {
  package let value: Double

  /// - Throws: `NumberDefect` for a number out of range, what is no number, and nil.
  package init(_ value: Double?, field: String) throws(NumberDefect) {
    guard let value, Bounds.range.contains(value) else {
      throw NumberDefect(field: field, expected: Bounds.expected)
    }
    self.value = value
  }

  package static func < (first: Self, second: Self) -> Bool { first.value < second.value }
}

/// A number from outside that is not what its field may hold.
package struct NumberDefect: Error, Equatable, CustomStringConvertible {
  package let field: String
  package let expected: String

  package init(field: String, expected: String) {
    (self.field, self.expected) = (field, expected)
  }

  /// One line that names the field.
  package var description: String { "\(printableName(field)) must be \(expected)" }
}

extension NumberDefect: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
