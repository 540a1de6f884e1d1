/// MT19937, whose numbers a seed fixes (Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8, 1998; seeded as its authors
/// do since 2002).
///
/// It is the generator of NumPy's `RandomState`, by which ONNX's reference computes operators with a seed.
struct MersenneTwister {
  private static let (size, shift) = (624, 397)
  private static let (upper, lower): (UInt32, UInt32) = (0x8000_0000, 0x7FFF_FFFF)

  private var state: [UInt32]
  private var position = MersenneTwister.size

  init(seed: UInt32) {
    state = [seed]
    state.reserveCapacity(Self.size)
    for index in 1..<Self.size {
      let last = state[index - 1]
      state.append(1_812_433_253 &* (last ^ last >> 30) &+ UInt32(index))
    }
  }

  mutating func next() -> UInt32 {
    if position == Self.size { refill() }
    var word = state[position]
    position += 1
    word ^= word >> 11
    word ^= word << 7 & 0x9D2C_5680
    word ^= word << 15 & 0xEFC6_0000
    return word ^ word >> 18
  }

  /// From 0 to below 1, of 53 bits of two words.
  mutating func uniform() -> Double {
    let (high, low) = (next() >> 5, next() >> 6)
    return (Double(high) * 0x1p26 + Double(low)) * 0x1p-53
  }

  private mutating func refill() {
    for index in 0..<Self.size {
      let joined = state[index] & Self.upper | state[(index + 1) % Self.size] & Self.lower
      let twisted = joined & 1 == 0 ? joined >> 1 : joined >> 1 ^ 0x9908_B0DF
      state[index] = state[(index + Self.shift) % Self.size] ^ twisted
    }
    position = 0
  }
}
