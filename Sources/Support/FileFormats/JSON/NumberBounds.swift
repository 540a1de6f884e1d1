/// The range of a kind of number within which the program's arithmetic stays finite.
package protocol NumberBounds {
  static var range: ClosedRange<Double> { get }
  /// The range in words, to follow "must be": `meters from 0 to 1,000,000`.
  static var expected: String { get }
}
