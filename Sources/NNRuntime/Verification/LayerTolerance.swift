import NNRuntime

/// How far a layer's result may be from its reference.
///
/// A mode's tolerance is that of a sum of 1024 products that do not cancel; a layer beyond it is allowed more where it
/// enlarges roundings by more (`Conditioning`).
public struct LayerTolerance: Sendable, Equatable {
  /// Largest absolute difference that passes whatever the reference's size.
  public let absolute: Double
  /// Largest difference relative to the largest value of the reference that passes.
  public let relative: Double
  /// Largest relative L2 that passes.
  public let relativeL2: Double

  /// A tolerance of numbers that are not negative.
  ///
  /// - Parameters:
  ///   - absolute: The largest difference that passes.
  ///   - relative: The largest difference that passes, relative to the largest value of the reference.
  ///   - relativeL2: The largest relative L2 that passes; nil for `relative`.
  public init(absolute: Double, relative: Double, relativeL2: Double? = nil) {
    self.absolute = absolute
    self.relative = relative
    self.relativeL2 = relativeL2 ?? relative
  }

  /// One layer in single precision against the same in double precision.
  public static let isolated = LayerTolerance(absolute: 1e-6, relative: 2e-5)
  /// A whole network in single precision against the same in double precision.
  public static let cumulative = LayerTolerance(absolute: 1e-5, relative: 1e-4)

  /// One layer in bf16 against single precision: its inputs, weights and result are each off by up to 2^-8.
  public static let isolatedBF16 = LayerTolerance(absolute: 1e-3, relative: 2e-2)
  /// A whole network in bf16 against single precision.
  public static let cumulativeBF16 = LayerTolerance(absolute: 1e-3, relative: 1e-1)
  /// One layer in 16-bit integers against single precision.
  public static let isolatedInt16 = LayerTolerance(absolute: 1e-3, relative: 1e-2)
  /// A whole network in 16-bit integers against single precision.
  public static let cumulativeInt16 = LayerTolerance(absolute: 1e-3, relative: 5e-2)
  /// One layer in 8-bit integers against single precision; of thousands of sums of roundings the worst is several times
  /// the mean.
  public static let isolatedInt8 = LayerTolerance(absolute: 1e-3, relative: 2e-1, relativeL2: 5e-2)
  /// A whole network in 8-bit integers against single precision.
  public static let cumulativeInt8 = LayerTolerance(absolute: 1e-3, relative: 5e-1, relativeL2: 2e-1)

  /// Whether the difference passes: no element off by more than absolute + relative x the reference's largest
  /// value, and the relative L2 within `relativeL2` unless all elements are within `absolute`.
  public func accepts(_ difference: TensorDifference) -> Bool {
    difference.maximumAbsolute <= absolute
      || difference.maximumAbsolute <= absolute + relative * difference.scale
        && difference.relativeL2 <= relativeL2
  }
}

/// Tolerances by layer name.
public struct ToleranceTable: Sendable, Equatable {
  /// A tolerance for the layers whose name matches a pattern, in which `*` stands for any characters.
  public struct Rule: Sendable, Equatable {
    /// The pattern.
    public let pattern: String
    /// The tolerance.
    public let tolerance: LayerTolerance

    /// A rule.
    public init(pattern: String, tolerance: LayerTolerance) {
      self.pattern = pattern
      self.tolerance = tolerance
    }

    /// A rule written `PATTERN=ABSOLUTE,RELATIVE`; nil for anything else.
    public init?(_ text: String) {
      guard let equals = text.lastIndex(of: "="), equals != text.startIndex else { return nil }
      let numbers = text[text.index(after: equals)...]
        .split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 2, let absolute = numbers[0], let relative = numbers[1],
        absolute.isFinite, relative.isFinite, absolute >= 0, relative >= 0
      else { return nil }
      pattern = String(text[..<equals])
      tolerance = LayerTolerance(absolute: absolute, relative: relative)
    }
  }

  /// The rules; the last that matches counts.
  public var rules: [Rule]

  /// A table; without rules every layer has the mode's own tolerance.
  public init(_ rules: [Rule] = []) { self.rules = rules }

  /// The tolerance that was stated for a layer under any of its names; nil for none.
  func tolerance(of names: [String]) -> LayerTolerance? {
    rules.last { rule in names.contains { NamePattern(rule.pattern).matches($0) } }?.tolerance
  }
}

/// A name in which `*` stands for any characters, also none.
package struct NamePattern: Sendable {
  private let parts: [Substring]

  /// The pattern written so.
  package init(_ pattern: String) { parts = pattern.split(separator: "*", omittingEmptySubsequences: false) }

  /// Whether the whole name fits.
  package func matches(_ name: String) -> Bool {
    guard parts.count > 1 else { return name == parts.first ?? "" }
    guard name.hasPrefix(parts[0]) else { return false }
    var rest = name.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }
}
