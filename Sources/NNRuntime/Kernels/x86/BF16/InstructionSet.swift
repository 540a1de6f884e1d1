// Vectors and products of the kernels of reduced precision. One target holds both variants, with tiles (AMX) and
// with dot products of vectors (AVX-512 BF16): they differ in the product of a block alone.

import CKernelShims

/// Sixteen lanes: one zmm register.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction.
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

/// 2^x, as exact as the kernels of full precision want it.
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

enum InstructionSet: DepthwiseStrips {
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 32 }
  /// Most rows of sums that vectors hold: 28 of the 32 registers, beside two of weights and one of a row's word.
  @inline(__always) static var tileRows: Int { 14 }
  /// Largest weight of 8 bits.
  @inline(__always) static var largestByte: Float { 127 }
}
