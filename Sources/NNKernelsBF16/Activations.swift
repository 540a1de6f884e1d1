// Activations as exact as bf16 needs: relative errors near 1e-4, an eighth of a rounding.

import CKernelShims
import NNKernelInterface

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

/// 1 / (1 + exp(-x)).
@inline(__always)
func roughSigmoid(_ x: Vector) -> Vector {
  let power = roughPowerOfTwo(x * Vector(repeating: -1.442_695_04))
  return ardf_reciprocal(power + Vector(repeating: 1))
}

/// x/2 * (1 + erf(x / sqrt 2)); erf with absolute error below 2e-4 (Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 7.1.25).
@inline(__always)
func roughGELU(_ x: Vector) -> Vector {
  let zero = Vector(repeating: 0)
  let z = x * Vector(repeating: 0.707_106_78)
  let magnitude = ardf_larger(z, zero - z)
  let t = ardf_reciprocal(multiplyAdd(magnitude, Vector(repeating: 0.470_47), Vector(repeating: 1)))
  var p = Vector(repeating: 0.747_855_6)
  p = multiplyAdd(p, t, Vector(repeating: -0.095_879_8))
  p = multiplyAdd(p, t, Vector(repeating: 0.348_024_2))
  let tail = p * t * roughPowerOfTwo(z * z * Vector(repeating: -1.442_695_04))
  // With q = tail / 2: gelu(x) = x - x q for x >= 0, and x q for x < 0.
  let part = x * tail * Vector(repeating: 0.5)
  return (x - part).replacing(with: part, where: x .< zero)
}

/// An activation as a type, so that a loop is compiled once for each.
protocol ElementaryFunction {
  static func of(_ x: Vector) -> Vector
}

enum Identity: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { x }
}

enum Rectifier: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { relu(x) }
}

enum SiLU: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { x * roughSigmoid(x) }
}

enum GELU: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { roughGELU(x) }
}

enum Sigmoid: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { roughSigmoid(x) }
}
