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
    stride2: ConvolutionKernels(
      packedCount: { packedStridedWinogradCount($0) }, pack: { packStridedWinograd($0, $1, $2, $3) },
      convolution: { stridedWinograd($0, $1, $2, $3, $4, $5) }, scratch: { stridedWinogradScratch($0) }),
    kernel2: winogradKernels(F4x4Of2x2.self), kernel3: winogradKernels(F4x4.self)),
  largeWinograd: winogradKernels(F6x6.self),
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

private func winogradKernels<Transform: WinogradTransform>(_: Transform.Type) -> ConvolutionKernels {
  ConvolutionKernels(
    packedCount: { packedWinogradCount(Transform.self, $0) },
    pack: { packWinograd(Transform.self, $0, $1, $2, $3) },
    convolution: { winograd(Transform.self, $0, $1, $2, $3, $4, $5) },
    scratch: { winogradScratch(Transform.self, $0) })
}
