/// A small seeded generator, the same numbers for the same seed on every machine (SplitMix64: Steele, Lea and Flood,
/// OOPSLA 2014).
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

  /// The next number from 0 up to and without 1: the upper 24 bits, all that a `Float` of that size holds.
  @inlinable
  package mutating func unit() -> Float { Self.unit(next()) }

  /// A state's number, whose bits each depend on all of the state's.
  @inlinable
  package static func mixed(_ state: UInt64) -> UInt64 {
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number's upper 24 bits as one from 0 up to and without 1.
  @inlinable
  package static func unit(_ number: UInt64) -> Float { Float(number >> 40) / Float(1 << 24) }
}
