import NNKernelInterface
import NNRuntime
import Testing

@Suite("Winograd convolution keeps to the definition, on maps of either element type")
struct WinogradConformance {
  static let cases: [ConvolutionCase] = [
    .init(height: 4, width: 4, inChannels: 16, outChannels: 16, kernel: 3, stride: 1, padding: 1),
    .init(
      height: 9, width: 13, inChannels: 16, outChannels: 48, kernel: 3, stride: 1, padding: 1,
      activation: .silu, gap: 16),
    .init(
      height: 20, width: 20, inChannels: 64, outChannels: 64, kernel: 3, stride: 1, padding: 1,
      activation: .relu, residual: true),
    .init(
      height: 33, width: 6, inChannels: 80, outChannels: 96, kernel: 3, stride: 1, padding: 1,
      activation: .gelu, residual: true, gap: 5),
    .init(height: 8, width: 8, inChannels: 16, outChannels: 16, kernel: 3, stride: 2, padding: 1),
    .init(
      height: 17, width: 26, inChannels: 32, outChannels: 48, kernel: 3, stride: 2, padding: 1,
      activation: .silu,
      gap: 16),
    .init(
      height: 41, width: 39, inChannels: 64, outChannels: 96, kernel: 3, stride: 2, padding: 1,
      activation: .relu,
      residual: true, gap: 5),
  ]

  @Test(arguments: Implementation.all, cases)
  func floats(_ implementation: Implementation, _ test: ConvolutionCase) throws {
    let kernels = try implementation.kernels()
    let pair = ElementPair(input: .float32, output: .float32)
    for tile in Self.tiles(test) {
      check(kernels.winograd(tile), tile, kernels.panelWidth, test, pair, Tolerance.winograd)
    }
  }

  @Test(arguments: MixedImplementation.all, cases)
  func integers(_ set: InstructionSet, _ test: ConvolutionCase) throws {
    let kernels = try #require(set.mixedKernels)
    guard let winograd = kernels.winograd else { return }
    for tile in Self.tiles(test) {
      for pair in ElementPair.all {
        check(winograd(tile), tile, kernels.panelWidth, test, pair, Tolerance.integers)
      }
    }
  }

  /// All sizes of tiles that there are for the stride.
  private static func tiles(_ test: ConvolutionCase) -> [WinogradTile] {
    test.stride == 1 ? [.four, .six] : [.four]
  }

  private func check(
    _ winograd: ConvolutionKernels, _ tile: WinogradTile, _ panelWidth: Int, _ test: ConvolutionCase,
    _ pair: ElementPair, _ tolerance: Double
  ) {
    let shape = test.shape
    var numbers = TestNumbers(seed: 7)
    let weights = numbers.next(shape.outChannels * shape.inChannels * 9)
    let scale = numbers.next(shape.outChannels)
    let bias = numbers.next(shape.outChannels)
    let input = MixedMap(
      pair.input, height: shape.inHeight, width: shape.inWidth, channels: shape.inChannels, gap: test.gap,
      rowGap: test.gap, seed: 1)
    let residual = MixedMap(
      pair.output, height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels, gap: test.gap,
      seed: 2)

    let packed = GuardedFloats(count: winograd.packedCount(shape))
    let (source, factors) = (GuardedFloats(weights), GuardedFloats(scale))
    unsafe winograd.pack(shape, source.pointer, factors.pointer, packed.pointer)
    #expect(packed.guardsAreIntact)
    let zeros = GuardedFloats([Float](repeating: 0, count: (shape.inChannels + 15) / 16 * 16))
    let paddedBias = GuardedFloats(bias + [Float](repeating: 0, count: 64))
    let scratch = GuardedFloats(count: winograd.scratch(shape))

    func run(split: Bool) -> [Float] {
      let output = MixedMap(
        pair.output, height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels,
        gap: test.gap, rowGap: 2)
      var task = unsafe ConvolutionTask(
        shape: shape, input: input.input, output: output.output,
        epilogue: test.residual ? .residual(residual.input) : .store, weights: packed.pointer,
        bias: paddedBias.pointer, zeros: zeros.pointer, activation: test.activation)
      computeTiles(winograd, &task, tile, panelWidth, scratch, split: split)
      #expect(output.guardsAreIntact)
      #expect(scratch.guardsAreIntact)
      return output.values
    }
    let whole = run(split: false)
    expectClose(
      whole, reference(test, input, weights, scale, bias, residual),
      tolerance: pair.tolerance(tolerance),
      "\(test.testDescription), \(tile), \(pair.testDescription)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }

  private func reference(
    _ test: ConvolutionCase, _ input: MixedMap, _ weights: [Float], _ scale: [Float], _ bias: [Float],
    _ residual: MixedMap
  ) -> [Expected] {
    let shape = test.shape
    var result: [Expected] = []
    for y in 0..<shape.outHeight {
      for x in 0..<shape.outWidth {
        for out in 0..<shape.outChannels {
          var sum = Expected()
          for position in 0..<9 {
            let (inY, inX) = (y * test.stride - 1 + position / 3, x * test.stride - 1 + position % 3)
            for channel in 0..<test.inChannels {
              let weight = weights[(out * test.inChannels + channel) * 9 + position] * scale[out]
              sum.add(input.padded(inY, inX, channel), weight)
            }
          }
          sum.add(bias[out])
          sum = activated(sum, test.activation)
          if test.residual { sum.add(residual[y, x, out]) }
          result.append(sum)
        }
      }
    }
    return result
  }
}

/// Computes all tiles of a Winograd convolution: in one call or, where they are `split`, each tile and panel in its own.
func computeTiles(
  _ winograd: ConvolutionKernels, _ task: inout ConvolutionTask, _ tile: WinogradTile, _ panelWidth: Int,
  _ scratch: GuardedFloats, split: Bool
) {
  let (shape, edge) = (task.shape, tile.edge)
  let tiles = (shape.outHeight + edge - 1) / edge * ((shape.outWidth + edge - 1) / edge)
  let panels = (shape.outChannels - 1) / panelWidth + 1
  for panel in stride(from: 0, to: panels, by: split ? 1 : panels) {
    for begin in stride(from: 0, to: tiles, by: split ? 1 : tiles) {
      unsafe winograd.convolution(
        &task, begin, split ? begin + 1 : tiles, panel, split ? panel + 1 : panels, scratch.pointer)
    }
  }
}
