import NNKernelInterface

/// Adds the kernels that multiply integers of 8 bits, a row each, whose maps may hold `maps`.
func addByteKernels(to catalogue: inout KernelCatalogue, by permit: Permit, maps: MapElements) {
  let block = ConvolutionKernel.Block(rows: IntegerQuads.tileRows, columns: panelWidth)
  catalogue.add(
    "gemm-i8", .gemm, of: .everyPixel, products: .int8, maps: maps, prologues: .none, epilogues: .sums,
    items: .rows, block: block, tolerance: .bytes, by: permit,
    packedCount: { packedIntegerRowsCount(EightBits.self, $0) },
    pack: { packIntegerRows(EightBits.self, $0, $1, $2, $3) },
    scratch: { shape, _ in integerRowsScratch(EightBits.self, shape) },
    run: { integerRows(EightBits.self, $0, $1) })
}
