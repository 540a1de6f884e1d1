// Elementary functions on whole vectors. Swift's own `rounded`, `min`, `max` and float-integer conversions
// of vectors compile to a scalar call a lane; these use only arithmetic, comparisons and bit casts.
//
// Transparent: in large functions `@inline(__always)` leaves calls, and a call takes and returns vectors in quarters.

import CKernelShims

/// The larger of each pair of lanes; `b` where one is not a number.
@_transparent
func larger(_ a: Vector, _ b: Vector) -> Vector { ardf_larger(a, b) }

/// The smaller of each pair of lanes; `b` where one is not a number.
@_transparent
func smaller(_ a: Vector, _ b: Vector) -> Vector { ardf_smaller(a, b) }

/// exp(x), relative error below 4e-7 (that of x * log2(e) for |x| < 10); saturates at 2^-126, and passes NaN on.
@_transparent
func exponential(_ x: Vector) -> Vector { powerOfTwo(x * Vector(repeating: 1.442_695_040_888_963_4)) }

/// 2^x without instructions of its own, relative error below 2e-7; saturates at 2^-126 and 2^127, and passes NaN on.
///
/// x = n + f with n an integer and f in [-1/2, 1/2]: a polynomial of degree 5 in f (1 + f g(f), g interpolated
/// at Chebyshev points), times 2^n by writing its exponent. Adding 1.5 * 2^23 rounds to the nearest integer and
/// leaves it in the low mantissa bits.
@_transparent
func powerOfTwoByArithmetic(_ x: Vector) -> Vector {
  let bounded = smaller(Vector(repeating: 127), larger(Vector(repeating: -126), x))
  let rounder = Vector(repeating: 12_582_912)
  let shifted = bounded + rounder
  let f = bounded - (shifted - rounder)
  var p = Vector(repeating: 1.338_13e-3)
  p = multiplyAdd(p, f, Vector(repeating: 9.666_37e-3))
  p = multiplyAdd(p, f, Vector(repeating: 5.550_381e-2))
  p = multiplyAdd(p, f, Vector(repeating: 2.402_234_9e-1))
  p = multiplyAdd(p, f, Vector(repeating: 6.931_471_8e-1))
  p = multiplyAdd(p, f, Vector(repeating: 1))
  let exponent =
    (unsafeBitCast(shifted, to: SIMD16<UInt32>.self) &+ SIMD16(repeating: 127)) &* SIMD16(repeating: 1 << 23)
  return p * unsafeBitCast(exponent, to: Vector.self)
}

/// The sum of all lanes, always in the same order.
@_transparent
func sum(_ x: Vector) -> Float {
  let eight = x.lowHalf + x.highHalf
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}

/// The largest lane.
@_transparent
func maximum(_ x: Vector) -> Float {
  let eight = x.lowHalf.replacing(with: x.highHalf, where: x.highHalf .> x.lowHalf)
  let four = eight.lowHalf.replacing(with: eight.highHalf, where: eight.highHalf .> eight.lowHalf)
  let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .> four.lowHalf)
  return two.x > two.y ? two.x : two.y
}

/// The first `count` floats at `pointer`, zeros after them.
@_transparent
func loadByLane(_ pointer: UnsafePointer<Float>, count: Int) -> Vector {
  var vector = Vector(repeating: 0)
  for lane in 0..<count { vector[lane] = pointer[lane] }
  return vector
}

/// Writes the first `count` lanes only.
@_transparent
func storeByLane(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  for lane in 0..<count { pointer[lane] = vector[lane] }
}
