import NNKernelInterface

/// Adds the kernels that multiply numbers of 16 bits, a row each, whose maps may hold `maps`.
func addWordKernels(to catalogue: inout KernelCatalogue, by permit: Permit, maps: MapElements) {
  let block = ConvolutionKernel.Block(rows: mostVectorRows, columns: panelWidth)
  let (products, tolerance) = (ScaledWords.element, ScaledWords.tolerance)
  if products != .float16 { addTransformedWords(to: &catalogue, by: permit, maps: maps) }
  catalogue.add(
    "gemm-\(products.name)", .gemm, of: .everyPixel, products: products, maps: maps, prologues: .none,
    epilogues: .sums, items: .rows, block: block, tolerance: tolerance, by: permit,
    packedCount: { packedIntegerRowsCount(SixteenBits.self, $0) },
    pack: { packIntegerRows(SixteenBits.self, $0, $1, $2, $3) },
    scratch: { integerRowsScratch(SixteenBits.self, $0, items: $1) },
    run: { integerRows(SixteenBits.self, $0, $1) })
}

/// Winograd's convolutions.
///
/// Halves do not bear them: of eleven digits the transforms leave outputs that are off by 2 %.
private func addTransformedWords(
  to catalogue: inout KernelCatalogue, by permit: Permit, maps: MapElements
) {
  let block = ConvolutionKernel.Block(rows: mostVectorRows, columns: panelWidth)
  let (products, tolerance) = (ScaledWords.element, ScaledWords.tolerance)
  catalogue.add(
    "winograd-f4x4-\(products.name)", .winograd4x4, of: .squares(stride: 1), products: products, maps: maps,
    prologues: .none, epilogues: .residual, items: .tiles(.four), block: block, tolerance: tolerance,
    by: permit, packedCount: { packedIntegerCount(BothAxes<F4x4>.self, $0) },
    pack: { packIntegers(BothAxes<F4x4>.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(BothAxes<F4x4>.self, shape) },
    run: { integerWinograd(BothAxes<F4x4>.self, $0, $1) })
  catalogue.add(
    "winograd-f4x4-strided-\(products.name)", .winograd4x4, of: .squares(stride: 2), products: products,
    maps: maps, prologues: .none, epilogues: .residual, items: .tiles(.four), block: block,
    tolerance: tolerance, by: permit, packedCount: { packedIntegerCount(StridedTransform.self, $0) },
    pack: { packIntegers(StridedTransform.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(StridedTransform.self, shape) },
    run: { integerWinograd(StridedTransform.self, $0, $1) })
  catalogue.add(
    "winograd-f4x4-subpixel-\(products.name)", .winograd4x4, of: .subpixels, products: products, maps: maps,
    prologues: .none, epilogues: .none, items: .tiles(.four), block: block, tolerance: tolerance, by: permit,
    packedCount: { packedIntegerCount(BothAxes<F4x4Of2x2>.self, $0) },
    pack: { packIntegers(BothAxes<F4x4Of2x2>.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(BothAxes<F4x4Of2x2>.self, shape) },
    run: { integerWinograd(BothAxes<F4x4Of2x2>.self, $0, $1) })
  catalogue.add(
    "winograd-f6x6-\(products.name)", .winograd6x6, of: .squares(stride: 1), products: products, maps: maps,
    prologues: .none, epilogues: .residual, items: .tiles(.six), block: block, tolerance: tolerance,
    by: permit, packedCount: { packedIntegerCount(BothAxes<F6x6>.self, $0) },
    pack: { packIntegers(BothAxes<F6x6>.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerWinogradScratch(BothAxes<F6x6>.self, shape) },
    run: { integerWinograd(BothAxes<F6x6>.self, $0, $1) })
}
