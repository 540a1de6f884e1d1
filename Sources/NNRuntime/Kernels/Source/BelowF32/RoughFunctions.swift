// The functions of activations as exact as bf16 needs: relative errors near 1e-4, an eighth of a rounding.

import CKernelShims

/// 2^x, relative error below 1e-4; saturates at zero and infinity.
///
/// x = n + f with n an integer and f in [-1/2, 1/2]; 2^f by the polynomial of degree 3 with the least relative
/// error.
@inline(__always)
func roughPowerOfTwo(_ x: Vector) -> Vector {
  let n = ardf_nearest(x)
  let f = x - n
  var p = Vector(repeating: 0.055_171_67)
  p = multiplyAdd(p, f, Vector(repeating: 0.242_611_12))
  p = multiplyAdd(p, f, Vector(repeating: 0.693_260_99))
  p = multiplyAdd(p, f, Vector(repeating: 0.999_928_07))
  return ardf_scale(p, n)
}

/// Relative errors near 1e-4.
enum RoughFunctions: ElementaryFunctions {
  /// 1 / (1 + exp(-x)).
  @inline(__always)
  static func sigmoid(_ x: Vector) -> Vector {
    let power = roughPowerOfTwo(x * Vector(repeating: -1.442_695_04))
    return ardf_reciprocal(power + Vector(repeating: 1))
  }

  /// x/2 * (1 + erf(x / sqrt 2)), absolute error below 2e-4; 0 below -4.
  ///
  /// With c = x clamped to [-4, 4] and u = c^2 / 8 - 1, erf(c / sqrt 2) = c p(u): p of degree 7 has the least error of
  /// erf (Lawson's algorithm on Chebyshev points), 7e-5, among those that give 1 at the ends.
  @inline(__always)
  static func gelu(_ x: Vector) -> Vector {
    let bounded = ardf_smaller(ardf_larger(x, Vector(repeating: -4)), Vector(repeating: 4))
    let u = multiplyAdd(bounded * Vector(repeating: 0.125), bounded, Vector(repeating: -1))
    var p = Vector(repeating: -5.352_882e-3)
    p = multiplyAdd(p, u, Vector(repeating: 1.723_407e-2))
    p = multiplyAdd(p, u, Vector(repeating: -2.714_227e-2))
    p = multiplyAdd(p, u, Vector(repeating: 4.234_748e-2))
    p = multiplyAdd(p, u, Vector(repeating: -7.252_696e-2))
    p = multiplyAdd(p, u, Vector(repeating: 0.112_336_7))
    p = multiplyAdd(p, u, Vector(repeating: -0.168_783_1))
    p = multiplyAdd(p, u, Vector(repeating: 0.351_887))
    let half = Vector(repeating: 0.5) * x
    return multiplyAdd(half, bounded * p, half)
  }
}
