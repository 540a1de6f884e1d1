import NNKernelInterface

/// The kernels of this instruction set.
///
/// Only call them where the CPU has it.
public let kernels = KernelTable(
  name: InstructionSet.name, panelWidth: InstructionSet.panelWidth, tileRows: InstructionSet.tileRows,
  packedConvolutionCount: { packedConvolutionCount($0) },
  packConvolution: { packConvolution($0, $1, $2, $3) },
  convolution: { convolution($0, $1, $2, $3, $4, $5) },
  convolutionScratch: { convolutionScratch($0) },
  packedWinogradCount: { packedWinogradCount($0) },
  packWinograd: { packWinograd($0, $1, $2, $3, $4, $5) },
  winograd: { winograd($0, $1, $2, $3, $4, $5) },
  winogradScratch: { winogradScratch($0) },
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
