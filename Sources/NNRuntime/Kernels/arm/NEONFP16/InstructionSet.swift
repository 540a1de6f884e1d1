// Sizes and features of the kernels of half precision on arm64 that multiplies in it (FEAT_FP16).

import NNKernelInterface

/// Adds the kernels of this instruction set; false where `processor` lacks it.
public func addKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  addWordKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

enum InstructionSet: DepthwiseGroups {
  /// Features that a processor needs to run it.
  static var needs: Processor.Features { Processor.Features.neon.union(.fp16) }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 16 }
}
