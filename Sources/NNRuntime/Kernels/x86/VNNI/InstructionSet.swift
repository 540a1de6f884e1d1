// Sizes of the integer kernels on processors that multiply four bytes at a time (AVX-512 VNNI).

import NNKernelInterface

/// Adds the kernels of this instruction set; false where `processor` lacks it.
public func addKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(.avx512.union(.integers), of: processor) else { return false }
  addWordKernels(to: &catalogue, by: permit, maps: .float32)
  addWordAttention(to: &catalogue, by: permit)
  addByteKernels(to: &catalogue, by: permit, maps: .float32)
  return true
}

enum InstructionSet: DepthwiseGroups {
  /// Output pixels of a depthwise convolution that are summed up at once.
  @inline(__always) static var pixelsTogether: Int { 8 }
  /// Output channels in a full panel of packed weights.
  @inline(__always) static var panelWidth: Int { 32 }
  /// Most rows of sums that vectors hold: 28 of the 32 registers, beside two of weights and one of a row's word.
  @inline(__always) static var tileRows: Int { 14 }
  /// Largest weight of 8 bits.
  @inline(__always) static var largestByte: Float { 127 }
}
