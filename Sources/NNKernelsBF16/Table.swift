import NNKernelInterface

/// The kernels of reduced precision that multiply with AMX tiles.
///
/// Only call them where the CPU has AVX-512 BF16 and AMX BF16, and the kernel grants tiles.
public let tileKernels = table(
  "amx", convolution: { convolution($0, $1, $2, $3, $4, $5, tiles: true) }, winograd: nil,
  attention: { attention($0, $1, $2, $3, tiles: true) })

/// The kernels of reduced precision that multiply with `vdpbf16ps`.
///
/// Only call them where the CPU has AVX-512 BF16 and VNNI.
public let vectorKernels = table(
  "avx512bf16", convolution: { convolution($0, $1, $2, $3, $4, $5, tiles: false) },
  winograd: { $0 == .four ? smallWinograd : winogradKernels(BothAxes<F6x6>.self) },
  attention: { attention($0, $1, $2, $3, tiles: false) })

private func table(
  _ name: String,
  convolution:
    @escaping @Sendable (
      UnsafePointer<ConvolutionTask>, Int, Int, Int, Int, UnsafeMutablePointer<Float>
    ) -> Void,
  winograd: (@Sendable (WinogradTile) -> ConvolutionKernels)?,
  attention: @escaping @Sendable (UnsafePointer<AttentionTask>, Int, Int, UnsafeMutablePointer<Float>) -> Void
) -> MixedKernelTable {
  MixedKernelTable(
    name: name, panelWidth: panelWidth,
    packedConvolutionCount: { packedConvolutionCount($0) },
    packConvolution: { packConvolution($0, $1, $2, $3) }, convolution: convolution,
    convolutionScratch: { convolutionScratch($0, $1) }, winograd: winograd,
    depthwise: { depthwise($0, $1, $2) }, maxPool: { maxPool($0, $1, $2) },
    resize: { resize($0, $1, $2, $3) }, resizeScratch: { resizeScratch($0) },
    layerNorm: { layerNorm($0, $1, $2) }, elementwise: { elementwise($0, $1, $2) }, attention: attention,
    attentionItems: { attentionItems($0) }, attentionScratch: { attentionScratch($0) })
}

private let smallWinograd = ConvolutionKernels(
  stride2: winogradKernels(StridedTransform.self), kernel2: winogradKernels(BothAxes<F4x4Of2x2>.self),
  kernel3: winogradKernels(BothAxes<F4x4>.self))

private func winogradKernels<Transform: IntegerTransform>(_: Transform.Type) -> ConvolutionKernels {
  ConvolutionKernels(
    packedCount: { packedWinogradCount(Transform.self, $0) },
    pack: { packWinograd(Transform.self, $0, $1, $2, $3) },
    convolution: { winograd(Transform.self, $0, $1, $2, $3, $4, $5) },
    scratch: { winogradScratch(Transform.self, $0) })
}
