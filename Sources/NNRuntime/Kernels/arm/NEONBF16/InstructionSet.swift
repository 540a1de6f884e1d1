// Sizes and features of arm64's kernels of reduced precision: bf16 numbers are multiplied by matrices of 2 x 4 and 4 x 2
// (`bfmmla`), four times as many a register as floats, and integers of 8 bits by those of 2 x 8 and 8 x 2 (`smmla`).

import NNKernelInterface

enum InstructionSet: DepthwiseGroups {
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
