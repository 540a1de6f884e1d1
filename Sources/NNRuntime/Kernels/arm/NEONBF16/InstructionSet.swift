// Vectors and products of arm64's kernels of reduced precision: bf16 numbers are multiplied by matrices of 2 x 4 and 4 x 2
// (`bfmmla`), four times as many a register as floats, and integers of 8 bits by those of 2 x 8 and 8 x 2 (`smmla`).

import CKernelShims
import NNKernelInterface

/// Sixteen lanes: four registers.
typealias Vector = SIMD16<Float>

/// a * b + c in one instruction a register.
@_transparent
func multiplyAdd(_ a: Vector, _ b: Vector, _ c: Vector) -> Vector { c.addingProduct(a, b) }

/// 2^x, as exact as the kernels of full precision want it.
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

enum InstructionSet: DepthwiseStrips {
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 32 }
  /// Features that a processor needs to run it.
  static var needs: Processor.Features {
    Processor.Features.neon.union(.bfloatMatrices).union(.integerMatrices)
  }
  /// Most registers of rows that a tile of sums of integers has.
  @inline(__always) static var tileRows: Int { 6 }
  /// Largest weight of 8 bits.
  @inline(__always) static var largestByte: Float { 127 }
}
