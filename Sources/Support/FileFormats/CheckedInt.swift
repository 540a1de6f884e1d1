/// An untrusted 64-bit integer from a file, a request, an environment variable or an option.
///
/// It has none of `Int`'s operators, which end the process on overflow; the name of each operation says what
/// happens instead. Only `within` converts it to an `Int`, given the allowed range.
package struct CheckedInt: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByIntegerLiteral
{
  private let value: Int

  /// A number of any size.
  package init(_ value: Int) { self.value = value }
  /// A number of the program's own.
  package init(integerLiteral value: Int) { self.init(value) }

  /// The number of decimal digits, maybe with a sign before them; nil for any other text, and beyond 64 bits.
  package init?(_ text: some StringProtocol) {
    guard let value = Int(text, radix: 10) else { return nil }
    self.init(value)
  }

  /// The number, where `range` has it: one whose sums and products fit 64 bits.
  package func within(_ range: ClosedRange<Int>) -> Int? { range.contains(value) ? value : nil }

  /// The nearest number that `range` has.
  package func clamped(to range: ClosedRange<Int>) -> Int {
    min(max(value, range.lowerBound), range.upperBound)
  }

  /// The sum; nil where 64 bits do not hold it.
  package func adding(_ other: CheckedInt) -> CheckedInt? {
    Self.whole(value.addingReportingOverflow(other.value))
  }

  /// The difference; nil where 64 bits do not hold it.
  package func subtracting(_ other: CheckedInt) -> CheckedInt? {
    Self.whole(value.subtractingReportingOverflow(other.value))
  }

  /// The product; nil where 64 bits do not hold it.
  package func multiplied(by other: CheckedInt) -> CheckedInt? {
    Self.whole(value.multipliedReportingOverflow(by: other.value))
  }

  /// The product of all sizes; nil where 64 bits do not hold that of any of them, a later 0 or not.
  package static func product(of sizes: some Sequence<CheckedInt>) -> CheckedInt? {
    sizes.reduce(CheckedInt?.some(1)) { $0?.multiplied(by: $1) }
  }

  /// The sum, or the last number there is on its side.
  package func addingSaturated(_ other: CheckedInt) -> CheckedInt {
    adding(other) ?? (other.value > 0 ? CheckedInt(.max) : CheckedInt(.min))
  }

  /// The nearest number of double precision.
  package var approximate: Double { Double(value) }
  package var description: String { value.description }
  /// The number as JSON has it.
  package var json: JSONValue { .integer(value) }

  package static func < (first: CheckedInt, second: CheckedInt) -> Bool { first.value < second.value }

  private static func whole(_ result: (partialValue: Int, overflow: Bool)) -> CheckedInt? {
    result.overflow ? nil : CheckedInt(result.partialValue)
  }
}

/// The whole number of a text in decimal digits, where `range` has it; nil for any other text.
package func integer(of text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
  CheckedInt(text)?.within(range)
}
