/// Made-up input: the same for the same seed, everywhere.
public enum SeededInput {
  /// `count` floats, uniform in [0, 1): SplitMix64, the upper 24 bits.
  public static func uniform(count: Int, seed: UInt64 = 1) -> [Float] {
    var state = seed
    return (0..<count).map { _ in
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      bits ^= bits >> 31
      return Float(bits >> 40) / Float(1 << 24)
    }
  }
}
