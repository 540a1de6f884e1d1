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
    packedCount: { $0.stride == 2 ? packedStridedWinogradCount($0) : packedWinogradCount(F4x4.self, $0) },
    pack: {
      if $0.stride == 2 {
        packStridedWinograd($0, $1, $2, $3)
      } else {
        packWinograd(F4x4.self, $0, $1, $2, $3)
      }
    },
    convolution: {
      if $0.pointee.shape.stride == 2 {
        stridedWinograd($0, $1, $2, $3, $4, $5)
      } else {
        winograd(F4x4.self, $0, $1, $2, $3, $4, $5)
      }
    },
    scratch: { $0.stride == 2 ? stridedWinogradScratch($0) : winogradScratch(F4x4.self, $0) }),
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
