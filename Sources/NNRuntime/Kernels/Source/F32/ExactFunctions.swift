// The functions of activations to the last digits of single precision.

/// Absolute errors near 1e-6.
enum ExactFunctions: ElementaryFunctions {
  /// 1 / (1 + exp(-x)), 2^-126 or less below -87.
  @inline(__always)
  static func sigmoid(_ x: Vector) -> Vector {
    let power = powerOfTwo(smaller(Vector(repeating: 126), x * Vector(repeating: -1.442_695_040_888_963_4)))
    return reciprocal(power + Vector(repeating: 1))
  }

  /// x/2 * (1 + erf(x / sqrt 2)), the exact form, not the tanh approximation; absolute error below 1e-6.
  ///
  /// With c = x clamped to [-5.3, 5.3] and u = 2 (c / 5.3)^2 - 1, erf(c / sqrt 2) = c p(u): p of degree 13 is
  /// minimax in the error of erf (Lawson's algorithm on Chebyshev points), 4e-7. No exponential, no division.
  @inline(__always)
  static func gelu(_ x: Vector) -> Vector {
    let bounded = smaller(larger(x, Vector(repeating: -5.3)), Vector(repeating: 5.3))
    let u = multiplyAdd(bounded * Vector(repeating: 0.071_199_715), bounded, Vector(repeating: -1))
    var p = Vector(repeating: -1.315_424e-3)
    p = multiplyAdd(p, u, Vector(repeating: 3.345_548_2e-3))
    p = multiplyAdd(p, u, Vector(repeating: -2.835_712_9e-3))
    p = multiplyAdd(p, u, Vector(repeating: 3.827_159_1e-3))
    p = multiplyAdd(p, u, Vector(repeating: -1.095_824_6e-2))
    p = multiplyAdd(p, u, Vector(repeating: 1.922_265_4e-2))
    p = multiplyAdd(p, u, Vector(repeating: -2.677_68e-2))
    p = multiplyAdd(p, u, Vector(repeating: 3.733_847_3e-2))
    p = multiplyAdd(p, u, Vector(repeating: -5.048_96e-2))
    p = multiplyAdd(p, u, Vector(repeating: 6.423_868_2e-2))
    p = multiplyAdd(p, u, Vector(repeating: -7.918_980_7e-2))
    p = multiplyAdd(p, u, Vector(repeating: 9.852_372_1e-2))
    p = multiplyAdd(p, u, Vector(repeating: -0.133_036_64))
    p = multiplyAdd(p, u, Vector(repeating: 0.266_785_17))
    let half = Vector(repeating: 0.5) * x
    return multiplyAdd(half, bounded * p, half)
  }
}
