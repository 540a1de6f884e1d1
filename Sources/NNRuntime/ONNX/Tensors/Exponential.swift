/// Exponentials of eight numbers at once, within two units in the last place.
///
/// The exponent is cut into a whole power of two and a rest of at most half of ln 2, for which a polynomial of degree 7
/// stands (Cephes, `expf`).
@inline(__always) func exponential(_ x: SIMD8<Float>) -> SIMD8<Float> {
  // Beyond these the result is 0 or infinite, and the power of two still fits.
  let clamped = pointwiseMin(pointwiseMax(x, SIMD8(repeating: -104)), SIMD8(repeating: 89))
  // Adding 1.5 * 2^23 rounds to a whole number, which the lowest bits then are.
  let magic = SIMD8<Float>(repeating: 12_582_912)
  let shifted = clamped * 1.442_695_04 + magic
  let whole = shifted - magic
  let rest = (clamped - whole * 0.693_359_375) - whole * -2.121_944_40e-4
  var sum = rest * 1.987_569_15e-4 + 1.398_199_95e-3
  sum = sum * rest + 8.333_451_91e-3
  sum = sum * rest + 4.166_579_59e-2
  sum = sum * rest + 0.166_666_655
  sum = sum * rest + 0.500_000_012
  let mantissa = sum * (rest * rest) + (rest + 1)
  let exponent = bits(shifted) &- bits(magic)
  // Two factors: one alone has no room for the smallest and largest powers.
  let half = exponent &>> 1
  let result = mantissa * power(half) * power(exponent &- half)
  return result.replacing(with: x, where: x .!= x)
}

@inline(__always) private func bits(_ value: SIMD8<Float>) -> SIMD8<Int32> {
  unsafe unsafeBitCast(value, to: SIMD8<Int32>.self)
}

/// 2 to a power that a normal number can have.
@inline(__always) private func power(_ exponent: SIMD8<Int32>) -> SIMD8<Float> {
  unsafe unsafeBitCast((exponent &+ 127) &<< 23, to: SIMD8<Float>.self)
}
