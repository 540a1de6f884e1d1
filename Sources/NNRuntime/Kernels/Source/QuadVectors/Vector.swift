// Vectors of several registers, which are loaded and stored by quads of floats.

/// Sixteen lanes: two registers of 256 bits, or four of 128.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction a register; on arm64 a repeated number is an element of a register (`fmla v, v, v.s[0]`).
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

/// 2^x, relative error below 2e-7; saturates at 2^-126 and 2^127, and passes NaN on.
@_transparent
func powerOfTwo(_ x: Vector) -> Vector { powerOfTwoByArithmetic(x) }

/// 1 / x.
@_transparent
func reciprocal(_ x: Vector) -> Vector { Vector(repeating: 1) / x }

/// The first `count` floats at `pointer`, at most 16, zeros after them.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Float>, count: Int) -> Vector { loadByQuads(pointer, count: count) }

/// Writes the first `count` lanes only.
@inline(__always)
func storePartial(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  storeByQuads(vector, pointer, count: count)
}
