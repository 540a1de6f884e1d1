import FileFormats

/// Periodic functions from sums and products alone, so that pictures have the same bits on every machine.
enum Wave {
  /// The part of `x` above the whole number below it, in [0, 1); |x| stays below two thousand million.
  @inline(__always)
  static func fraction(_ x: Float) -> Float {
    let rest = x - Float(Int32(x))
    return rest < 0 ? rest + 1 : rest
  }

  /// sin(2 pi turns) within 0.002: a parabola through its zeros and extremes, and a correction by its square.
  @inline(__always)
  static func sine(_ turns: Float) -> Float {
    let x = fraction(turns)
    let parabola = x < 0.5 ? 16 * x * (0.5 - x) : 16 * (x - 0.5) * (x - 1)
    return parabola + 0.225 * (parabola * abs(parabola) - parabola)
  }

  /// cos(2 pi turns) within 0.002.
  @inline(__always)
  static func cosine(_ turns: Float) -> Float { sine(turns + 0.25) }
}

/// 0 below `low`, 1 above `high`, a smooth cubic between; falls instead of rising where `low > high`.
@inline(__always)
func smoothStep(_ low: Float, _ high: Float, _ x: Float) -> Float {
  let t = min(max((x - low) / (high - low), 0), 1)
  return t * t * (3 - 2 * t)
}

/// The value `share` of the way from `a` to `b`.
@inline(__always)
func mix(_ a: Float, _ b: Float, _ share: Float) -> Float { a + (b - a) * share }

/// The color `share` of the way from `a` to `b`.
@inline(__always)
func mix(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ share: Float) -> SIMD3<Float> { a + (b - a) * share }

/// The values `share` of the way from `a` to `b`.
@inline(__always)
func mix(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ share: Float) -> SIMD4<Float> { a + (b - a) * share }

/// Random numbers by name: a number depends on its seed, index and use alone, never on those drawn before.
struct Scatter: Sendable {
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  /// A number in [0, 1) for one use of one thing.
  func unit(_ index: Int, _ use: Int) -> Float {
    SplitMix64.unit(SplitMix64.number(seed: seed, index: index, use: use))
  }

  /// A number in `range` for one use of one thing.
  func value(_ index: Int, _ use: Int, in range: ClosedRange<Float>) -> Float {
    mix(range.lowerBound, range.upperBound, unit(index, use))
  }
}
