import NNKernelInterface
import NNRuntime
import Testing

/// A convolution of 2x2 that makes one of the four output pixels of each input pixel.
struct SubpixelCase: CustomTestStringConvertible, Sendable {
  var height, width: Int
  var inChannels, outChannels: Int
  var gap = 0

  var testDescription: String { "\(height)x\(width)x\(inChannels)->\(outChannels) gap \(gap)" }

  var shape: ConvolutionShape {
    ConvolutionShape(
      inHeight: height, inWidth: width, inChannels: inChannels, outHeight: height, outWidth: width,
      outChannels: outChannels, kernelHeight: 2, kernelWidth: 2, stride: 1, padding: 1, kind: .subpixel)
  }
}

@Suite("Winograd convolutions of 2x2 keep to the definition at every place of an output pixel")
struct SubpixelConformance {
  static let cases: [SubpixelCase] = [
    .init(height: 1, width: 1, inChannels: 16, outChannels: 16),
    .init(height: 4, width: 8, inChannels: 32, outChannels: 32),
    .init(height: 9, width: 6, inChannels: 48, outChannels: 80, gap: 5),
    .init(height: 21, width: 23, inChannels: 16, outChannels: 48, gap: 16),
  ]

  @Test(arguments: Implementation.all, cases)
  func floats(_ implementation: Implementation, _ test: SubpixelCase) throws {
    let kernels = try implementation.kernels()
    let pair = ElementPair(input: .float32, output: .float32)
    for place in 0..<4 {
      check(
        kernels.winograd(.four), kernels.panelWidth, test, pair, Tolerance.winograd, row: place / 2,
        column: place % 2)
    }
  }

  @Test(arguments: MixedImplementation.all, cases)
  func integers(_ set: InstructionSet, _ test: SubpixelCase) throws {
    let kernels = try #require(set.mixedKernels)
    guard let winograd = kernels.winograd?(.four) else { return }
    for pair in ElementPair.all {
      for place in 0..<4 {
        check(
          winograd, kernels.panelWidth, test, pair, Tolerance.integers, row: place / 2, column: place % 2)
      }
    }
  }

  private func check(
    _ winograd: ConvolutionKernels, _ panelWidth: Int, _ test: SubpixelCase, _ pair: ElementPair,
    _ tolerance: Double, row: Int, column: Int
  ) {
    let shape = test.shape
    var numbers = TestNumbers(seed: 5)
    let weights = numbers.next(shape.outChannels * shape.inChannels * 4)
    let bias = numbers.next(shape.outChannels)
    let edges = numbers.next(3 * shape.outChannels)
    let input = MixedMap(
      pair.input, height: test.height, width: test.width, channels: test.inChannels, gap: test.gap,
      rowGap: test.gap, seed: 1)

    let packed = GuardedFloats(count: winograd.packedCount(shape))
    let source = GuardedFloats(weights)
    unsafe winograd.pack(shape, source.pointer, nil, packed.pointer)
    #expect(packed.guardsAreIntact)
    let paddedBias = GuardedFloats(bias + [Float](repeating: 0, count: 64))
    let edgeSums = GuardedFloats(edges)
    let zeros = GuardedFloats([Float](repeating: 0, count: max(test.inChannels, test.outChannels)))
    let scratch = GuardedFloats(count: winograd.scratch(shape))

    func run(split: Bool) -> [Float] {
      let output = MixedMap(
        pair.output, height: test.height, width: test.width, channels: test.outChannels, gap: test.gap,
        rowGap: 2)
      var task = unsafe ConvolutionTask(
        shape: shape, input: input.input, output: output.output, weights: packed.pointer,
        bias: paddedBias.pointer, zeros: zeros.pointer, activation: .silu)
      task.epilogue = unsafe .subpixel(Subpixel(row: row, column: column, edgeSums: edgeSums.pointer))
      computeTiles(winograd, &task, .four, panelWidth, scratch, split: split)
      #expect(output.guardsAreIntact)
      #expect(scratch.guardsAreIntact)
      return output.values
    }

    /// Whether a position is the first of an axis, or for the second place the last.
    func isAtEdge(_ position: Int, _ place: Int, _ extent: Int) -> Bool {
      position == (place == 0 ? 0 : extent - 1)
    }
    var expected: [Expected] = []
    for y in 0..<test.height {
      for x in 0..<test.width {
        let edge: Int? =
          switch (isAtEdge(y, row, test.height), isAtEdge(x, column, test.width)) {
          case (true, false): 0
          case (false, true): 1
          case (true, true): 2
          case (false, false): nil
          }
        for out in 0..<test.outChannels {
          var sum = Expected()
          for position in 0..<4 {
            for channel in 0..<test.inChannels {
              sum.add(
                input.padded(y - 1 + row + position / 2, x - 1 + column + position % 2, channel),
                weights[(out * test.inChannels + channel) * 4 + position])
            }
          }
          sum.add(bias[out])
          if let edge { sum.add(edges[edge * test.outChannels + out]) }
          expected.append(activated(sum, .silu))
        }
      }
    }
    let whole = run(split: false)
    expectClose(
      whole, expected, tolerance: pair.tolerance(tolerance),
      "\(test.testDescription) at (\(row), \(column)), \(pair.testDescription)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }
}
