// The definitions of NEON: a sixteen-lane vector is four registers, so six rows of one vector fill twenty-four of the
// thirty-two, and leave four for a row of the panel and four for what it is multiplied with, an element at a time.

import NNKernelInterface

/// Adds the kernels of this instruction set that multiply integers, of 16 bits; false where `processor` lacks it.
public func addIntegerKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  addWordKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

enum InstructionSet: Specializations {
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { .neon }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
  /// Most rows that a tile of accumulators holds.
  @inline(__always) static var tileRows: Int { 6 }
}
