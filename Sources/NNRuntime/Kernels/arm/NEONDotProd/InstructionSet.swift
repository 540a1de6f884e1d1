// Vectors and products of the kernels of 8-bit integers on arm64 that multiplies four of them in a lane (FEAT_DotProd).

import CKernelShims
import NNKernelInterface

/// Adds the kernels of this instruction set; false where `processor` lacks it.
public func addKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  addByteKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

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
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { Processor.Features.neon.union(.dotProducts) }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most registers of rows that a tile of sums has.
  @inline(__always) static var tileRows: Int { 6 }
  /// Largest weight of 8 bits.
  @inline(__always) static var largestByte: Float { 127 }
}
