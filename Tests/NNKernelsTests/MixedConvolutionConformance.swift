import NNKernelInterface
import NNRuntime
import Testing

@Suite("Convolution in bf16 keeps to its definition on rounded operands")
struct MixedConvolutionConformance {
  /// Widths of 1 are read in place where the channels allow it; the others through a padded copy.
  static let cases =
    ConvolutionConformance.directCases + [
      .init(height: 100, width: 1, inChannels: 64, outChannels: 80, kernel: 1, stride: 1, padding: 0, gap: 3),
      .init(
        height: 37, width: 1, inChannels: 48, outChannels: 16, kernel: 1, stride: 1, padding: 0,
        activation: .silu, residual: true, gap: 8),
      .init(height: 31, width: 1, inChannels: 32, outChannels: 40, kernel: 1, stride: 1, padding: 0),
      .init(
        height: 20, width: 20, inChannels: 32, outChannels: 64, kernel: 3, stride: 1, padding: 1,
        activation: .silu, residual: true),
      .init(height: 9, width: 10, inChannels: 16, outChannels: 8, kernel: 3, stride: 1, padding: 1, gap: 16),
      .init(
        height: 18, width: 1, inChannels: 64, outChannels: 96, kernel: 1, stride: 1, padding: 0,
        activation: .silu, addendShift: 0),
    ]

  @Test(arguments: MixedImplementation.all, cases)
  func convolution(_ set: InstructionSet, _ test: ConvolutionCase) throws {
    for pair in ElementPair.all { try check(set, test, pair) }
  }

  private func check(_ set: InstructionSet, _ test: ConvolutionCase, _ pair: ElementPair) throws {
    let kernels = try #require(set.mixedKernels)
    let shape = test.shape
    var numbers = TestNumbers(seed: 7)
    let filter = shape.inChannels * shape.kernelHeight * shape.kernelWidth
    let weights = numbers.next(shape.outChannels * filter)
    let scale = numbers.next(shape.outChannels)
    let bias = numbers.next(shape.outChannels)
    let input = MixedMap(
      pair.input, height: shape.inHeight, width: shape.inWidth, channels: shape.inChannels, gap: test.gap,
      rowGap: test.gap, seed: 1)
    let residual = MixedMap(
      pair.output, height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels, gap: test.gap,
      seed: 2)
    let addend = MixedMap(
      .float32, height: test.addendSize.height, width: test.addendSize.width, channels: shape.outChannels,
      gap: test.gap, seed: 3)
    let packed = GuardedFloats(count: kernels.packedConvolutionCount(shape))
    let (source, factors) = (GuardedFloats(weights), GuardedFloats(scale))
    unsafe kernels.packConvolution(shape, source.pointer, factors.pointer, packed.pointer)
    #expect(packed.guardsAreIntact)
    let paddedBias = GuardedFloats(bias + [Float](repeating: 0, count: 64))

    func run(rows rowStep: Int, panels panelStep: Int) -> [Float] {
      let output = MixedMap(
        pair.output, height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels,
        gap: test.gap, rowGap: 2)
      let scratch = GuardedFloats(count: kernels.convolutionScratch(shape, min(rowStep, shape.outHeight)))
      var task = unsafe ConvolutionTask(
        shape: shape, input: input.input, output: output.output,
        epilogue: test.epilogue(residual: residual.input, addend: addend.input), weights: packed.pointer,
        bias: paddedBias.pointer, zeros: paddedBias.pointer, activation: test.activation)
      let panels = (shape.outChannels - 1) / kernels.panelWidth + 1
      for panel in stride(from: 0, to: panels, by: panelStep) {
        for begin in stride(from: 0, to: shape.outHeight, by: rowStep) {
          unsafe kernels.convolution(
            &task, begin, min(shape.outHeight, begin + rowStep), panel, min(panels, panel + panelStep),
            scratch.pointer)
        }
      }
      #expect(output.guardsAreIntact)
      #expect(scratch.guardsAreIntact)
      return output.values
    }
    let whole = run(rows: shape.outHeight, panels: 1 << 20)
    expectClose(
      whole, reference(test, input, weights, scale, bias, residual, addend),
      tolerance: pair.tolerance(Tolerance.bf16(test.activation)),
      "\(test.testDescription), \(pair.testDescription)")
    #expect(run(rows: 3, panels: 1).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }

  private func reference(
    _ test: ConvolutionCase, _ input: MixedMap, _ weights: [Float], _ scale: [Float], _ bias: [Float],
    _ residual: MixedMap, _ addend: MixedMap
  ) -> [Expected] {
    let shape = test.shape
    var result: [Expected] = []
    for y in 0..<shape.outHeight {
      for x in 0..<shape.outWidth {
        for out in 0..<shape.outChannels {
          var sum = Expected()
          for row in 0..<test.kernel {
            for column in 0..<test.kernel {
              let (inY, inX) = (y * test.stride - test.padding + row, x * test.stride - test.padding + column)
              for channel in 0..<test.inChannels {
                let index = ((out * test.inChannels + channel) * test.kernel + row) * test.kernel + column
                sum.add(
                  roundedToBF16(input.padded(inY, inX, channel)), roundedToBF16(weights[index] * scale[out]))
              }
            }
          }
          sum.add(bias[out])
          if let shift = test.addendShift { sum.add(addend[y >> shift, x >> shift, out]) }
          sum = activated(sum, test.activation)
          if test.residual { sum.add(residual[y, x, out]) }
          result.append(sum)
        }
      }
    }
    return result
  }
}
