// The definitions of NEON: a sixteen-lane vector is four registers, so six rows of one vector fill twenty-four of the
// thirty-two, and leave four for a row of the panel and four for what it is multiplied with, an element at a time.

import CKernelShims
import NNKernelInterface

/// Adds the kernels of this instruction set that multiply integers, of 16 bits; false where `processor` lacks it.
public func addIntegerKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  addWordKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

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

/// The first `count` floats at `pointer`, at most 16, zeros after them.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Float>, count: Int) -> Vector { loadByQuads(pointer, count: count) }

/// Writes the first `count` lanes only.
@inline(__always)
func storePartial(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  storeByQuads(vector, pointer, count: count)
}

enum InstructionSet: Specializations {
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { .neon }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 6 }
}
