/// The seeded generator of pseudo-random numbers: the same numbers for the same seed on every machine (SplitMix64: Steele, Lea
/// and Flood, OOPSLA 2014).
///
/// For repeatable choices, not for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  /// Increment of the state with every number.
  @usableFromInline package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  @usableFromInline package var state: UInt64

  /// The numbers of a seed.
  @inlinable
  package init(seed: UInt64) { state = seed }

  /// The next number.
  @inlinable
  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// The number of a state; each of its bits depends on all bits of the state.
  @inlinable
  package static func mixed(_ state: UInt64) -> UInt64 {
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The number of an index and a use under a seed: it depends on these alone, not on numbers drawn before.
  @inlinable
  package static func number(seed: UInt64, index: Int, use: Int) -> UInt64 {
    let state = seed &+ UInt64(truncatingIfNeeded: index) &* increment
    return mixed(state &+ UInt64(truncatingIfNeeded: use) &* 0xD1B5_4A32_D192_ED03)
  }
}

/// Uniform numbers.
extension SplitMix64 {
  /// The next number as one in [0, 1).
  @inlinable
  package mutating func unit() -> Float { Self.unit(next()) }

  /// The next number as one in [-1, 1).
  @inlinable
  package mutating func signed() -> Float { 2 * unit() - 1 }

  /// The upper 24 bits of a number as one in [0, 1): all that a `Float` of that size holds.
  @inlinable
  package static func unit(_ number: UInt64) -> Float { Float(number >> 40) / Float(1 << 24) }
}
