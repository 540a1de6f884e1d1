// The definitions of AVX-512: two zmm vectors a row, fourteen rows a tile (28 of the 32 registers).

import CKernelShims
import NNKernelInterface

/// Sixteen lanes: one zmm register.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction.
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

/// 2^x, relative error below 2e-7; saturates at 2^-126 and infinity, and passes NaN on.
///
/// 2^f for the fraction f by the polynomial of degree 5 with the least relative error, then scaled by 2^floor(x).
/// Denormal results, which cost a hundred times as much, are kept out.
@_transparent
func powerOfTwo(_ x: Vector) -> Vector {
  let bounded = ardf_larger(Vector(repeating: -126), x)
  let f = ardf_fraction(bounded)
  var p = Vector(repeating: 1.877_576_7e-3)
  p = multiplyAdd(p, f, Vector(repeating: 8.989_34e-3))
  p = multiplyAdd(p, f, Vector(repeating: 5.582_631_8e-2))
  p = multiplyAdd(p, f, Vector(repeating: 0.240_153_61))
  p = multiplyAdd(p, f, Vector(repeating: 0.693_153_1))
  p = multiplyAdd(p, f, Vector(repeating: 0.999_999_94))
  return ardf_scale(p, bounded)
}

/// 1 / x, relative error below 2e-7, for x from 2^-126 to 2^126: a step of Newton's from fourteen digits, in a third of
/// a division's time.
@_transparent
func reciprocal(_ x: Vector) -> Vector {
  let near = ardf_reciprocal(x)
  return multiplyAdd(near, ardf_multiply_subtract(x, near, Vector(repeating: 1)), near)
}

/// The first `count` floats at `pointer`, at most 16, zeros after them.
@_transparent
func loadPartial(_ pointer: UnsafePointer<Float>, count: Int) -> Vector { ardf_load_partial(pointer, count) }

/// Writes the first `count` lanes only.
@_transparent
func storePartial(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  ardf_store_partial(pointer, vector, count)
}

enum InstructionSet: Specializations {
  /// Output pixels of a depthwise convolution that are summed up at once.
  @inline(__always) static var pixelsTogether: Int { 8 }
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { .avx512 }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 32 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 14 }
}
