import NNKernelInterface

/// Adds the kernels that multiply pairs in vectors (`vdpbf16ps`, `vpdpwssd`), a row each; false where `processor` lacks the
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
    "direct-bf16", .direct, of: .areas, products: .bfloat16, maps: .any, prologues: .none,
    epilogues: .residual, items: .rows, block: block, tolerance: .roundedProduct, by: permit,
    packedCount: { packedRoundedCount($0) }, pack: { packRounded($0, $1, $2, $3) },
    scratch: { roundedConvolutionScratch($0, $1) }, run: { roundedConvolution($0, $1, tiles: false) })
  catalogue.add(
    "winograd-f4x4-i16", .winograd4x4, of: .squares(stride: 1), products: .int16, maps: .any,
    prologues: .none, epilogues: .residual, items: .tiles(.four), block: block, tolerance: .integers,
    by: permit, packedCount: { packedIntegerCount(BothAxes<F4x4>.self, $0) },
    pack: { packIntegers(BothAxes<F4x4>.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(BothAxes<F4x4>.self, shape) },
    run: { integerWinograd(BothAxes<F4x4>.self, $0, $1) })
  catalogue.add(
    "winograd-f4x4-strided-i16", .winograd4x4, of: .squares(stride: 2), products: .int16, maps: .any,
    prologues: .none, epilogues: .residual, items: .tiles(.four), block: block, tolerance: .integers,
    by: permit, packedCount: { packedIntegerCount(StridedTransform.self, $0) },
    pack: { packIntegers(StridedTransform.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(StridedTransform.self, shape) },
    run: { integerWinograd(StridedTransform.self, $0, $1) })
  catalogue.add(
    "winograd-f4x4-subpixel-i16", .winograd4x4, of: .subpixels, products: .int16, maps: .any,
    prologues: .none, epilogues: .none, items: .tiles(.four), block: block, tolerance: .integers, by: permit,
    packedCount: { packedIntegerCount(BothAxes<F4x4Of2x2>.self, $0) },
    pack: { packIntegers(BothAxes<F4x4Of2x2>.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(BothAxes<F4x4Of2x2>.self, shape) },
    run: { integerWinograd(BothAxes<F4x4Of2x2>.self, $0, $1) })
  catalogue.add(
    "winograd-f6x6-i16", .winograd6x6, of: .squares(stride: 1), products: .int16, maps: .any,
    prologues: .none, epilogues: .residual, items: .tiles(.six), block: block, tolerance: .integers,
    by: permit, packedCount: { packedIntegerCount(BothAxes<F6x6>.self, $0) },
    pack: { packIntegers(BothAxes<F6x6>.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(BothAxes<F6x6>.self, shape) },
    run: { integerWinograd(BothAxes<F6x6>.self, $0, $1) })
  catalogue.add(
    attention: "attention-bf16", products: .bfloat16, maps: .any, queries: roundedAttentionQueries,
    tolerance: .roundedAttention, by: permit, scratch: { roundedAttentionScratch($0) },
    run: { roundedAttention($0, $1, tiles: false) })
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
    "direct-bf16", .direct, of: .areas, products: .bfloat16, maps: .any, prologues: .none,
    epilogues: .residual, items: .rows, block: block, tolerance: .roundedProduct, by: permit,
    packedCount: { packedRoundedCount($0) }, pack: { packRounded($0, $1, $2, $3) },
    scratch: { roundedConvolutionScratch($0, $1) }, run: { roundedConvolution($0, $1, tiles: true) })
  catalogue.add(
    attention: "attention-bf16", products: .bfloat16, maps: .any, queries: roundedAttentionQueries,
    tolerance: .roundedAttention, by: permit, scratch: { roundedAttentionScratch($0) },
    run: { roundedAttention($0, $1, tiles: true) })
  addSteps(to: &catalogue, permit)
  return true
}

private var vectorFeatures: Processor.Features { .avx512.union(.pairs) }
private var tileFeatures: Processor.Features { .avx512.union(.pairs).union(.tiles) }

/// What is no product, between maps of either element type.
private func addSteps(to catalogue: inout KernelCatalogue, _ permit: Permit) {
  catalogue.add(
    depthwise: "depthwise-any", maps: .any, tolerance: .roundedProduct, by: permit,
    run: { depthwise($0, $1) })
  catalogue.add(
    maxPool: "maxpool-any", maps: .any, tolerance: .exact, by: permit, run: { maxPool($0, $1) })
  catalogue.add(
    resize: "resize-any", maps: .any, tolerance: .roundedProduct, by: permit,
    scratch: { resizeScratch($0) }, run: { resize($0, $1) })
  catalogue.add(
    layerNorm: "layernorm-any", maps: .any, tolerance: .normalisation, by: permit,
    run: { layerNorm($0, $1) })
  catalogue.add(
    elementwise: "elementwise-any", maps: .any, tolerance: .roundedProduct, by: permit,
    run: { elementwise($0, $1) })
}
