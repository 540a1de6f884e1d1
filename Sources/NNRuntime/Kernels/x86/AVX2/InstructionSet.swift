// The definitions of AVX2: a sixteen-lane vector is two ymm registers, so six rows of one vector fill
// twelve of the sixteen registers.

import NNKernelInterface

/// Adds the kernels of this instruction set that multiply integers; false where `processor` lacks it.
public func addIntegerKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  addWordKernels(to: &catalogue, by: permit, maps: .float32)
  addWordAttention(to: &catalogue, by: permit)
  addByteKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

enum InstructionSet: Specializations {
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { .avx2 }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 6 }
  /// Largest weight of 8 bits: of two products with numbers of 8 bits the sum fits 16, as `vpmaddubsw` makes it.
  @inline(__always) static var largestByte: Float { 64 }
}
