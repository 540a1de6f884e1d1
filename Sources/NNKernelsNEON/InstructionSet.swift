// What NEON does differently: a sixteen-lane vector is four registers, so six rows of one vector fill twenty-four of the
// thirty-two, and leave four for a row of the panel and four for what it is multiplied with, an element at a time.

import CKernelShims
import NNKernelInterface

/// Sixteen lanes: four registers.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction a register; a repeated number is an element of a register (`fmla v, v, v.s[0]`).
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

/// 2^x, relative error below 2e-7; saturates at 2^-126 and 2^127, and passes NaN on.
@_transparent
func powerOfTwo(_ x: Vector) -> Vector { powerOfTwoByArithmetic(x) }

/// 1 / x.
@_transparent
func reciprocal(_ x: Vector) -> Vector { Vector(repeating: 1) / x }

/// The first `count` floats at `pointer`, at most 16, zeros behind them.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Float>, count: Int) -> Vector {
  Vector(
    lowHalf: SIMD8(lowHalf: loadFew(pointer, count), highHalf: loadFew(pointer + 4, count &- 4)),
    highHalf: SIMD8(lowHalf: loadFew(pointer + 8, count &- 8), highHalf: loadFew(pointer + 12, count &- 12)))
}

/// Writes the first `count` lanes only.
@inline(__always)
func storePartial(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  storeFew(vector.lowHalf.lowHalf, pointer, count)
  storeFew(vector.lowHalf.highHalf, pointer + 4, count &- 4)
  storeFew(vector.highHalf.lowHalf, pointer + 8, count &- 8)
  storeFew(vector.highHalf.highHalf, pointer + 12, count &- 12)
}

/// One register: the first `count` floats, none where that is negative, zeros behind them.
@inline(__always)
private func loadFew(_ pointer: UnsafePointer<Float>, _ count: Int) -> SIMD4<Float> {
  let bytes = UnsafeRawPointer(pointer)
  switch count {
  case 4...: return bytes.loadUnaligned(as: SIMD4<Float>.self)
  case 3: return SIMD4(lowHalf: bytes.loadUnaligned(as: SIMD2<Float>.self), highHalf: SIMD2(pointer[2], 0))
  case 2: return SIMD4(lowHalf: bytes.loadUnaligned(as: SIMD2<Float>.self), highHalf: SIMD2(0, 0))
  case 1: return SIMD4(pointer[0], 0, 0, 0)
  default: return SIMD4(repeating: 0)
  }
}

/// Writes the first `count` lanes of one register, none where that is negative.
@inline(__always)
private func storeFew(_ vector: SIMD4<Float>, _ pointer: UnsafeMutablePointer<Float>, _ count: Int) {
  let bytes = UnsafeMutableRawPointer(pointer)
  if count >= 4 { return bytes.storeBytes(of: vector, as: SIMD4<Float>.self) }
  if count >= 2 { bytes.storeBytes(of: vector.lowHalf, as: SIMD2<Float>.self) }
  if count == 3 { pointer[2] = vector.z }
  if count == 1 { pointer[0] = vector.x }
}

enum InstructionSet: OwnWays {
  /// What a processor must have to run it.
  static var needs: Processor.Features { .neon }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 6 }
}
