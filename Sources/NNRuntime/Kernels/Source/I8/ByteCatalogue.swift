import NNKernelInterface

/// Adds the kernels that multiply integers of 8 bits, whose maps may hold `maps`: of rows with scales of their own, and, where
/// weights may have all values, of rows with known steps.
func addByteKernels(to catalogue: inout KernelCatalogue, by permit: Permit, maps: MapElements) {
  addByteKernel(
    EightBits.self, "gemm-i8", .gemm, of: .everyPixel, prologues: .none, tolerance: .bytes, to: &catalogue,
    by: permit, maps: maps)
  guard InstructionSet.largestByte == 127 else { return }
  addByteKernel(
    SteppedBytes.self, "gemm-steps-i8", .gemm, of: .pixels, prologues: .quantize, tolerance: .roundedProduct,
    to: &catalogue, by: permit, maps: maps)
  addByteKernel(
    SteppedBytes.self, "direct-steps-i8", .direct, of: .areas, prologues: .quantize,
    tolerance: .roundedProduct, to: &catalogue, by: permit, maps: maps)
}

private func addByteKernel<Numbers: RowIntegers>(
  _: Numbers.Type, _ name: String, _ algorithm: Algorithm, of domain: ConvolutionDomain,
  prologues: ConvolutionKernel.Prologues, tolerance: KernelTolerance, to catalogue: inout KernelCatalogue,
  by permit: Permit, maps: MapElements
) {
  catalogue.add(
    name, algorithm, of: domain.summing(atMost: EightBits.mostProducts), products: .int8, maps: maps,
    prologues: prologues, epilogues: .sums,
    items: .rows, block: ConvolutionKernel.Block(rows: IntegerQuads.tileRows, columns: panelWidth),
    tolerance: tolerance, by: permit,
    packedCount: { packedIntegerRowsCount(Numbers.self, $0) },
    pack: { packIntegerRows(Numbers.self, $0, $1, $2, $3) },
    scratch: { integerRowsScratch(Numbers.self, $0, items: $1) },
    run: { integerRows(Numbers.self, $0, $1) })
}
