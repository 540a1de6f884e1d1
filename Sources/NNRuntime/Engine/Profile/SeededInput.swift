import FileFormats

/// Made-up input: the same for the same seed, everywhere.
public enum SeededInput {
  /// `count` floats, uniform in [0, 1): SplitMix64, the upper 24 bits.
  public static func uniform(count: Int, seed: UInt64 = 1) -> [Float] {
    var numbers = SplitMix64(seed: seed)
    return (0..<count).map { _ in numbers.unit() }
  }
}
