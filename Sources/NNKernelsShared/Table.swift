import NNKernelInterface

/// The kernels of this instruction set.
///
/// Only call them where the CPU has it.
public let kernels = KernelTable(
  name: InstructionSet.name, panelWidth: InstructionSet.panelWidth, tileRows: InstructionSet.tileRows,
  direct: ConvolutionKernels(
    packedCount: { packedConvolutionCount($0) }, pack: { packConvolution($0, $1, $2, $3) },
    convolution: { convolution($0, $1, $2, $3, $4, $5) }, scratch: { convolutionScratch($0) }),
  strassen: ConvolutionKernels(
    packedCount: { packedStrassenCount($0) }, pack: { packStrassen($0, $1, $2, $3) },
    convolution: { strassen($0, $1, $2, $3, $4, $5) }, scratch: { strassenScratch($0) }),
  smallWinograd: ConvolutionKernels(
    packedCount: {
      switch SmallWinograd($0) {
      case .strided: packedStridedWinogradCount($0)
      case .ofTwo: packedWinogradCount(F4x4Of2x2.self, $0)
      case .ofThree: packedWinogradCount(F4x4.self, $0)
      }
    },
    pack: {
      switch SmallWinograd($0) {
      case .strided: packStridedWinograd($0, $1, $2, $3)
      case .ofTwo: packWinograd(F4x4Of2x2.self, $0, $1, $2, $3)
      case .ofThree: packWinograd(F4x4.self, $0, $1, $2, $3)
      }
    },
    convolution: {
      switch SmallWinograd($0.pointee.shape) {
      case .strided: stridedWinograd($0, $1, $2, $3, $4, $5)
      case .ofTwo: winograd(F4x4Of2x2.self, $0, $1, $2, $3, $4, $5)
      case .ofThree: winograd(F4x4.self, $0, $1, $2, $3, $4, $5)
      }
    },
    scratch: {
      switch SmallWinograd($0) {
      case .strided: stridedWinogradScratch($0)
      case .ofTwo: winogradScratch(F4x4Of2x2.self, $0)
      case .ofThree: winogradScratch(F4x4.self, $0)
      }
    }),
  largeWinograd: ConvolutionKernels(
    packedCount: { packedWinogradCount(F6x6.self, $0) },
    pack: { packWinograd(F6x6.self, $0, $1, $2, $3) },
    convolution: { winograd(F6x6.self, $0, $1, $2, $3, $4, $5) },
    scratch: { winogradScratch(F6x6.self, $0) }),
  depthwise: { depthwise($0, $1, $2) },
  maxPool: { maxPool($0, $1, $2) },
  resize: { resize($0, $1, $2, $3) },
  resizeScratch: { resizeScratch($0) },
  layerNorm: { layerNorm($0, $1, $2) },
  softmax: { softmax($0, $1, $2) },
  elementwise: { elementwise($0, $1, $2) },
  attention: { attention($0, $1, $2, $3) },
  attentionItems: { attentionItems($0) },
  attentionScratch: { attentionScratch($0) })

/// The convolutions whose outputs are made in tiles of 4x4.
private enum SmallWinograd {
  case strided, ofTwo, ofThree

  @inline(__always)
  init(_ shape: ConvolutionShape) {
    self = shape.stride == 2 ? .strided : shape.kernelHeight == 2 ? .ofTwo : .ofThree
  }
}
