import NNKernelInterface

/// Adds the kernels of this instruction set, a row each; false where `processor` lacks it.
public func addKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  let block = ConvolutionKernel.Block(rows: InstructionSet.tileRows, columns: InstructionSet.panelWidth)
  catalogue.add(
    "gemm-f32", .gemm, of: .pixels, products: .float32, maps: .float32, prologues: .pixelwise,
    epilogues: .sums, items: .pixels, block: block, tolerance: .product, by: permit,
    packedCount: { packedConvolutionCount($0) }, pack: { packConvolution($0, $1, $2, $3) },
    scratch: { shape, _ in convolutionScratch(shape) }, run: { convolution($0, $1) })
  catalogue.add(
    "strassen-f32", .strassen, of: .halvedChannels, products: .float32, maps: .float32, prologues: .normalize,
    epilogues: .sums, items: .strassenPairs, block: block, tolerance: .strassen, by: permit,
    packedCount: { packedStrassenCount($0) }, pack: { packStrassen($0, $1, $2, $3) },
    scratch: { shape, _ in strassenScratch(shape) }, run: { strassen($0, $1) })
  catalogue.add(
    "direct-f32", .direct, of: .areas, products: .float32, maps: .float32, prologues: .planes,
    epilogues: .residual, items: .pixels, block: block, tolerance: .product, by: permit,
    packedCount: { packedConvolutionCount($0) }, pack: { packConvolution($0, $1, $2, $3) },
    scratch: { shape, _ in convolutionScratch(shape) }, run: { convolution($0, $1) })
  catalogue.add(
    "winograd-f4x4-f32", .winograd4x4, of: .squares(stride: 1), products: .float32, maps: .float32,
    prologues: .enlarge, epilogues: .residualOrProject, items: .tiles(.four), block: block,
    tolerance: .winograd,
    by: permit, packedCount: { packedWinogradCount(F4x4.self, $0) },
    pack: { packWinograd(F4x4.self, $0, $1, $2, $3) },
    scratch: { shape, _ in winogradScratch(F4x4.self, shape) }, run: { winograd(F4x4.self, $0, $1) })
  catalogue.add(
    "winograd-f4x4-strided-f32", .winograd4x4, of: .squares(stride: 2), products: .float32, maps: .float32,
    prologues: .none, epilogues: .residual, items: .tiles(.four), block: block, tolerance: .winograd,
    by: permit, packedCount: { packedStridedWinogradCount($0) },
    pack: { packStridedWinograd($0, $1, $2, $3) }, scratch: { shape, _ in stridedWinogradScratch(shape) },
    run: { stridedWinograd($0, $1) })
  catalogue.add(
    "winograd-f4x4-subpixel-f32", .winograd4x4, of: .subpixels, products: .float32, maps: .float32,
    prologues: .none, epilogues: .project, items: .tiles(.four), block: block, tolerance: .winograd,
    by: permit, packedCount: { packedWinogradCount(F4x4Of2x2.self, $0) },
    pack: { packWinograd(F4x4Of2x2.self, $0, $1, $2, $3) },
    scratch: { shape, _ in winogradScratch(F4x4Of2x2.self, shape) },
    run: { winograd(F4x4Of2x2.self, $0, $1) })
  catalogue.add(
    "winograd-f6x6-f32", .winograd6x6, of: .squares(stride: 1), products: .float32, maps: .float32,
    prologues: .enlarge, epilogues: .residualOrProject, items: .tiles(.six), block: block,
    tolerance: .winograd,
    by: permit, packedCount: { packedWinogradCount(F6x6.self, $0) },
    pack: { packWinograd(F6x6.self, $0, $1, $2, $3) },
    scratch: { shape, _ in winogradScratch(F6x6.self, shape) }, run: { winograd(F6x6.self, $0, $1) })
  catalogue.add(
    "depthwise-f32", of: DepthwiseTask.self, maps: .float32, tolerance: .product, by: permit,
    scratch: { depthwiseScratch($0) },
    run: { depthwise($0, $1) })
  catalogue.add(
    "maxpool-f32", of: PoolTask.self, maps: .float32, tolerance: .exact, by: permit, run: { maxPool($0, $1) })
  catalogue.add(
    "pool-f32", of: WindowPoolTask.self, maps: .float32, tolerance: .product, by: permit,
    run: { windowPool($0, $1) })
  catalogue.add(
    "resize-f32", of: ResizeTask.self, maps: .float32, tolerance: .product, by: permit,
    scratch: { resizeScratch($0) },
    run: { resize($0, $1) })
  catalogue.add(
    "layernorm-f32", of: LayerNormTask.self, maps: .float32, tolerance: .normalization, by: permit,
    run: { layerNorm($0, $1) })
  catalogue.add(
    "softmax-f32", of: SoftmaxTask.self, maps: .float32, tolerance: .function, by: permit,
    run: { softmax($0, $1) })
  catalogue.add(
    "elementwise-f32", of: ElementwiseTask.self, maps: .float32, tolerance: .function, by: permit,
    run: { elementwise($0, $1) })
  catalogue.add(
    "attention-f32", of: AttentionTask.self, products: .float32, maps: .float32, together: attentionQueries,
    tolerance: .attention, by: permit, scratch: { attentionScratch($0) }, run: { attention($0, $1) })
  catalogue.add(
    "matrices-f32", of: MatrixTask.self, maps: .float32, tolerance: .product, by: permit,
    scratch: { matrixScratch($0) }, run: { matrixProduct($0, $1) })
  catalogue.add(
    "rearrange-f32", of: RearrangeTask.self, maps: .float32, tolerance: .exact, by: permit,
    run: { rearrange($0, $1) })
  catalogue.add(
    "sampling-f32", of: SamplingTask.self, maps: .float32, tolerance: .product, by: permit,
    scratch: { samplingScratch($0) }, run: { sampling($0, $1) })
  return true
}
