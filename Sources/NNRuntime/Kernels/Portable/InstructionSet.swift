// The kernels for any CPU of the architecture: no fused multiply-add (without the instruction it would be a
// library call a lane), and sixteen lanes are four registers of the baseline.

import NNKernelInterface

/// Sixteen lanes, as many registers as the CPU's baseline needs for them.
typealias Vector = SIMD16<Float>

/// a * b + c, rounded twice.
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { a * b + c }

/// 2^x, relative error below 2e-7; saturates at 2^-126 and 2^127, and passes NaN on.
@_transparent
func powerOfTwo(_ x: Vector) -> Vector { powerOfTwoByArithmetic(x) }

/// 1 / x.
@_transparent
func reciprocal(_ x: Vector) -> Vector { Vector(repeating: 1) / x }

/// The first `count` floats at `pointer`, zeros after them.
@_transparent
func loadPartial(_ pointer: UnsafePointer<Float>, count: Int) -> Vector { loadByLane(pointer, count: count) }

/// Writes the first `count` lanes only.
@_transparent
func storePartial(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  storeByLane(vector, pointer, count: count)
}

enum InstructionSet: Specializations {
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { .baseline }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 2 }
}
