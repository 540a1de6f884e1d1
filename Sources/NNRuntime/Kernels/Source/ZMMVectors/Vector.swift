// Vectors of one register of 512 bits, for the targets of products below fp32.

import CKernelShims

/// Sixteen lanes: one zmm register.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction.
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

/// 2^x, relative error below 2e-7; saturates at 2^-126 and 2^127, and passes NaN on.
@_transparent
func powerOfTwo(_ x: Vector) -> Vector { powerOfTwoByArithmetic(x) }

/// 1 / x.
@_transparent
func reciprocal(_ x: Vector) -> Vector { Vector(repeating: 1) / x }

/// The first `count` floats at `pointer`, at most 16, zeros after them.
@_transparent
func loadPartial(_ pointer: UnsafePointer<Float>, count: Int) -> Vector { ardf_load_partial(pointer, count) }

/// Writes the first `count` lanes only.
@_transparent
func storePartial(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  ardf_store_partial(pointer, vector, count)
}
