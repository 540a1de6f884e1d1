import NNKernelInterface

/// Adds the kernels that multiply in vectors (`vdpbf16ps`, `vpdpwssd`, `vpdpbusd`), a row each; false where `processor` lacks the
/// instructions.
public func addVectorKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(vectorFeatures, of: processor) else { return false }
  let block = ConvolutionKernel.Block(rows: mostVectorRows, columns: panelWidth)
  catalogue.add(
    "gemm-bf16", .gemm, of: .pixels, products: .bfloat16, maps: .any, prologues: .none, epilogues: .sums,
    items: .rows, block: block, tolerance: .roundedProduct, by: permit,
    packedCount: { packedRoundedCount($0) }, pack: { packRounded($0, $1, $2, $3) },
    scratch: { roundedConvolutionScratch($0, $1) }, run: { roundedConvolution($0, $1, tiles: false) })
  catalogue.add(
    "direct-bf16", .direct, of: .areas, products: .bfloat16, maps: .any, prologues: .planes,
    epilogues: .residual, items: .rows, block: block, tolerance: .roundedProduct, by: permit,
    packedCount: { packedRoundedCount($0) }, pack: { packRounded($0, $1, $2, $3) },
    scratch: { roundedConvolutionScratch($0, $1) }, run: { roundedConvolution($0, $1, tiles: false) })
  addWordKernels(to: &catalogue, by: permit, maps: .any)
  addWordAttention(to: &catalogue, by: permit)
  addByteKernels(to: &catalogue, by: permit, maps: .any)
  catalogue.add(
    "attention-int8", of: AttentionTask.self, products: .int8, maps: .any, together: roundedAttentionQueries,
    tolerance: .byteAttention, by: permit, scratch: { roundedAttentionScratch($0, ByteScores.self) },
    run: { roundedAttention($0, $1, tiles: false, ByteScores.self) })
  catalogue.add(
    "attention-bf16", of: AttentionTask.self, products: .bfloat16, maps: .any,
    together: roundedAttentionQueries,
    tolerance: .roundedAttention, by: permit, scratch: { roundedAttentionScratch($0, RoundedScores.self) },
    run: { roundedAttention($0, $1, tiles: false, RoundedScores.self) })
  addSteps(to: &catalogue, permit)
  return true
}

/// Adds the kernels that multiply with tiles (AMX), a row each; false where `processor` lacks the instructions.
public func addTileKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(tileFeatures, of: processor) else { return false }
  let block = ConvolutionKernel.Block(rows: blockRows, columns: panelWidth)
  catalogue.add(
    "gemm-bf16", .gemm, of: .pixels, products: .bfloat16, maps: .any, prologues: .none, epilogues: .sums,
    items: .rows, block: block, tolerance: .roundedProduct, by: permit,
    packedCount: { packedRoundedCount($0) }, pack: { packRounded($0, $1, $2, $3) },
    scratch: { roundedConvolutionScratch($0, $1) }, run: { roundedConvolution($0, $1, tiles: true) })
  catalogue.add(
    "direct-bf16", .direct, of: .areas, products: .bfloat16, maps: .any, prologues: .planes,
    epilogues: .residual, items: .rows, block: block, tolerance: .roundedProduct, by: permit,
    packedCount: { packedRoundedCount($0) }, pack: { packRounded($0, $1, $2, $3) },
    scratch: { roundedConvolutionScratch($0, $1) }, run: { roundedConvolution($0, $1, tiles: true) })
  catalogue.add(
    "attention-bf16", of: AttentionTask.self, products: .bfloat16, maps: .any,
    together: roundedAttentionQueries,
    tolerance: .roundedAttention, by: permit, scratch: { roundedAttentionScratch($0, RoundedScores.self) },
    run: { roundedAttention($0, $1, tiles: true, RoundedScores.self) })
  addWordKernels(to: &catalogue, by: permit, maps: .any)
  addWordAttention(to: &catalogue, by: permit)
  addByteKernels(to: &catalogue, by: permit, maps: .any)
  addSteps(to: &catalogue, permit)
  return true
}

private var vectorFeatures: Processor.Features { .avx512.union(.integers).union(.bf16Pairs) }
private var tileFeatures: Processor.Features { vectorFeatures.union(.amx) }

/// Adds the kernels of operators without matrix products, between maps of either element type.
private func addSteps(to catalogue: inout KernelCatalogue, _ permit: Permit) {
  catalogue.add(
    "depthwise-any", of: DepthwiseTask.self, maps: .any, tolerance: .roundedProduct, by: permit,
    scratch: { depthwiseScratch($0) },
    run: { depthwise($0, $1) })
  catalogue.add(
    "maxpool-any", of: PoolTask.self, maps: .any, tolerance: .exact, by: permit, run: { maxPool($0, $1) })
  catalogue.add(
    "rearrange-any", of: RearrangeTask.self, maps: .any, tolerance: .exact, by: permit,
    run: { rearrange($0, $1) })
  catalogue.add(
    "pool-any", of: WindowPoolTask.self, maps: .any, tolerance: .roundedProduct, by: permit,
    run: { windowPool($0, $1) })
  catalogue.add(
    "resize-any", of: ResizeTask.self, maps: .any, tolerance: .roundedProduct, by: permit,
    scratch: { resizeScratch($0) }, run: { resize($0, $1) })
  catalogue.add(
    "layernorm-any", of: LayerNormTask.self, maps: .any, tolerance: .normalization, by: permit,
    run: { layerNorm($0, $1) })
  catalogue.add(
    "elementwise-any", of: ElementwiseTask.self, maps: .any, tolerance: .roundedProduct, by: permit,
    run: { elementwise($0, $1) })
}
