import NNKernelInterface

/// The kernels of reduced precision that multiply with AMX tiles.
///
/// Only call them where the CPU has AVX-512 BF16 and AMX BF16, and the kernel grants tiles.
public let tileKernels = table(
  "amx", productRate: 16, convolution: { convolution($0, $1, $2, $3, $4, $5, tiles: true) },
  attention: { attention($0, $1, $2, $3, tiles: true) })

/// The kernels of reduced precision that multiply with `vdpbf16ps`.
///
/// Only call them where the CPU has AVX-512 BF16.
public let vectorKernels = table(
  "avx512bf16", productRate: 2, convolution: { convolution($0, $1, $2, $3, $4, $5, tiles: false) },
  attention: { attention($0, $1, $2, $3, tiles: false) })

private func table(
  _ name: String, productRate: Int,
  convolution:
    @escaping @Sendable (
      UnsafePointer<ConvolutionTask>, Int, Int, Int, Int, UnsafeMutablePointer<Float>
    ) -> Void,
  attention: @escaping @Sendable (UnsafePointer<AttentionTask>, Int, Int, UnsafeMutablePointer<Float>) -> Void
) -> MixedKernelTable {
  MixedKernelTable(
    name: name, productRate: productRate, panelWidth: panelWidth,
    packedConvolutionCount: { packedConvolutionCount($0) },
    packConvolution: { packConvolution($0, $1, $2, $3) }, convolution: convolution,
    convolutionScratch: { convolutionScratch($0, $1) },
    depthwise: { depthwise($0, $1, $2) }, maxPool: { maxPool($0, $1, $2) },
    resize: { resize($0, $1, $2, $3) }, resizeScratch: { resizeScratch($0) },
    layerNorm: { layerNorm($0, $1, $2) }, elementwise: { elementwise($0, $1, $2) }, attention: attention,
    attentionItems: { attentionItems($0) }, attentionScratch: { attentionScratch($0) })
}
