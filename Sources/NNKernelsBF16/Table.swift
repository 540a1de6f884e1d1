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

/// F(4x4,3x3), its phases where the stride is 2, or F(4x4,2x2).
private let smallWinograd: ConvolutionKernels = {
  let strided = winogradKernels(StridedTransform.self)
  let (ofThree, ofTwo) = (winogradKernels(BothAxes<F4x4>.self), winogradKernels(BothAxes<F4x4Of2x2>.self))
  @Sendable func kernels(_ shape: ConvolutionShape) -> ConvolutionKernels {
    shape.stride == 2 ? strided : shape.kernelHeight == 2 ? ofTwo : ofThree
  }
  return ConvolutionKernels(
    packedCount: { kernels($0).packedCount($0) }, pack: { kernels($0).pack($0, $1, $2, $3) },
    convolution: { kernels($0.pointee.shape).convolution($0, $1, $2, $3, $4, $5) },
    scratch: { kernels($0).scratch($0) })
}()

private func winogradKernels<Transform: IntegerTransform>(_: Transform.Type) -> ConvolutionKernels {
  ConvolutionKernels(
    packedCount: { packedWinogradCount(Transform.self, $0) },
    pack: { packWinograd(Transform.self, $0, $1, $2, $3) },
    convolution: { winograd(Transform.self, $0, $1, $2, $3, $4, $5) },
    scratch: { winogradScratch(Transform.self, $0) })
}
