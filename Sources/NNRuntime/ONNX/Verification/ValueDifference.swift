import FileFormats

/// Whether a value is the expected one: same structure, type and shape, and each element within the tolerance.
package struct ValueDifference: Sendable {
  /// The largest difference, and the largest as a multiple of the tolerance.
  package private(set) var greatest = 0.0
  package private(set) var excess = 0.0
  /// The difference; nil if there is none.
  package private(set) var message: String?

  package var isEqual: Bool { message == nil }

  /// Equality so far, of nothing.
  package init() {}

  package init(_ actual: Value, _ expected: Value, _ tolerance: ValueTolerance, name: String) {
    compare(actual, expected, tolerance, name)
  }

  /// The worse of two.
  package mutating func add(_ other: ValueDifference) {
    greatest = max(greatest, other.greatest)
    excess = max(excess, other.excess)
    message = message ?? other.message
  }

  private mutating func compare(
    _ actual: Value, _ expected: Value, _ tolerance: ValueTolerance, _ name: String
  ) {
    switch (actual, expected) {
    case (.tensor(let a), .tensor(let e)): compare(a, e, tolerance, name)
    case (.sequence(let a), .sequence(let e)):
      guard a.count == e.count else {
        return note("\(name): \(counted(a.count, "element")) instead of \(e.count)")
      }
      for (index, pair) in zip(a, e).enumerated() { compare(pair.0, pair.1, tolerance, "\(name)[\(index)]") }
    case (.optional(nil), .optional(nil)): break
    case (.optional(.some(let a)), .optional(.some(let e))): compare(a, e, tolerance, name)
    case (let a, .optional(.some(let e))): compare(a, e, tolerance, name)
    case (.optional(.some(let a)), let e): compare(a, e, tolerance, name)
    default: note("\(name): another kind of value")
    }
  }

  private mutating func compare(
    _ actual: Tensor, _ expected: Tensor, _ tolerance: ValueTolerance, _ name: String
  ) {
    guard actual.shape == expected.shape else {
      return note("\(name): shape \(Shape.text(actual.shape)) instead of \(Shape.text(expected.shape))")
    }
    guard actual.type == expected.type else {
      return note("\(name): type \(actual.type) instead of \(expected.type)")
    }
    if expected.type == .string {
      if actual.array(of: String.self) != expected.array(of: String.self) { note("\(name): texts differ") }
      return
    }
    let relative = expected.type == .bfloat16 ? max(tolerance.relative, 0x1p-6) : tolerance.relative
    let (a, e) = (actual.doubles(), expected.doubles())
    let position = expected.rank + tolerance.axis
    let inner = expected.shape.dropFirst(position + 1).reduce(1, *)
    var (largest, worst) = (0.0, 0.0)
    for index in a.indices where !(a[index] == e[index] || a[index].isNaN && e[index].isNaN) {
      let absolute =
        tolerance.absolute.count == 1
        ? tolerance.absolute[0] : tolerance.absolute[index / inner % tolerance.absolute.count]
      let gap = abs(a[index] - e[index])
      largest = max(largest, gap.isNaN ? .infinity : gap)
      let share = gap / (absolute + relative * abs(e[index]))
      worst = max(worst, share.isNaN ? .infinity : share)
    }
    greatest = max(greatest, largest)
    excess = max(excess, worst)
    if worst > 1 { note("\(name): off by \(largest), \(worst) times the tolerance") }
  }

  private mutating func note(_ text: String) {
    message = message ?? text
    if excess <= 1 { excess = .infinity }
  }
}
