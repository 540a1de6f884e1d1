// Sizes and features of the kernels of 8-bit integers on arm64 that multiplies matrices of them, 2 x 8 and 8 x 2
// (FEAT_I8MM).

import NNKernelInterface

/// Adds the kernels of this instruction set; false where `processor` lacks it.
public func addKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  addByteKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

enum InstructionSet: DepthwiseGroups {
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { Processor.Features.neon.union(.integerMatrices) }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most registers of rows that a tile of sums has.
  @inline(__always) static var tileRows: Int { 6 }
  /// Largest weight of 8 bits.
  @inline(__always) static var largestByte: Float { 127 }
}
