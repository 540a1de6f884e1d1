import NNKernelInterface

/// Adds the kernels that multiply matrices of bf16 (`bfmmla`) and of integers of 8 bits (`smmla`), a row each; false where
/// `processor` lacks them.
///
/// Winograd's convolutions are not among them: arm64 has no product of 16-bit integers as fast as one of bf16, and direct
/// products in bf16 are as many as four times those of floats.
public func addKernels(to catalogue: inout KernelCatalogue, of processor: Processor) -> Bool {
  guard let permit = Permit(InstructionSet.needs, of: processor) else { return false }
  let block = ConvolutionKernel.Block(rows: blockRows, columns: panelWidth)
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
  addByteKernels(to: &catalogue, by: permit, maps: .any)
  catalogue.add(
    "attention-bf16", of: AttentionTask.self, products: .bfloat16, maps: .any,
    together: roundedAttentionQueries,
    tolerance: .roundedAttention, by: permit, scratch: { roundedAttentionScratch($0, RoundedScores.self) },
    run: { roundedAttention($0, $1, tiles: false, RoundedScores.self) })
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
  return true
}
