// Sizes and features of the kernels of reduced precision. One target holds both variants, with tiles (AMX) and
// with dot products of vectors (AVX-512 BF16): they differ in the product of a block alone.

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
