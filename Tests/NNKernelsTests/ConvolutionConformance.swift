import NNKernelInterface
import Testing

/// A dense convolution to check.
struct ConvolutionCase: CustomTestStringConvertible, Sendable {
  var height, width, inChannels, outChannels, kernel, stride, padding: Int
  var activation = Activation.none
  var residual = false
  /// Where parts of the sums are given: in each direction 2 to this power output pixels share one of their map.
  var addendShift: Int?
  /// Whether each pixel of the input is normalised before.
  var normalised = false
  /// Floats around the channels of each pixel.
  var gap = 0

  var shape: ConvolutionShape {
    ConvolutionShape(
      inHeight: height, inWidth: width, inChannels: inChannels,
      outHeight: (height + 2 * padding - kernel) / stride + 1,
      outWidth: (width + 2 * padding - kernel) / stride + 1, outChannels: outChannels, kernelHeight: kernel,
      kernelWidth: kernel, stride: stride, padding: padding)
  }

  var testDescription: String {
    "\(height)x\(width)x\(inChannels)->\(outChannels) k\(kernel) s\(stride) p\(padding) \(activation) gap \(gap)"
      + (residual ? " +residual" : "") + (addendShift.map { " +sums/\(1 << $0)" } ?? "")
      + (normalised ? " normalised" : "")
  }

  /// Height and width of the map of sums that are given.
  var addendSize: (height: Int, width: Int) {
    (shape.outHeight >> (addendShift ?? 0), shape.outWidth >> (addendShift ?? 0))
  }

  /// What is done to the sums: of these maps the one that the case asks for is added, if any.
  func epilogue(residual: MapPointer, addend: MapPointer) -> ConvolutionTask.Epilogue {
    if let addendShift { return .addend(Addend(map: addend, width: shape.outWidth, shift: addendShift)) }
    return self.residual ? .residual(residual) : .store
  }
}

@Suite("Dense convolution keeps to its definition")
struct ConvolutionConformance {
  static let directCases: [ConvolutionCase] = [
    .init(height: 1, width: 1, inChannels: 1, outChannels: 1, kernel: 1, stride: 1, padding: 0),
    .init(
      height: 5, width: 7, inChannels: 3, outChannels: 17, kernel: 3, stride: 2, padding: 1, activation: .silu
    ),
    .init(
      height: 9, width: 5, inChannels: 8, outChannels: 8, kernel: 3, stride: 1, padding: 1, activation: .relu,
      residual: true, gap: 3),
    .init(
      height: 13, width: 11, inChannels: 80, outChannels: 80, kernel: 1, stride: 1, padding: 0,
      activation: .gelu, residual: true, gap: 16),
    .init(
      height: 1, width: 37, inChannels: 100, outChannels: 67, kernel: 1, stride: 1, padding: 0,
      activation: .sigmoid),
    .init(height: 20, width: 20, inChannels: 64, outChannels: 33, kernel: 3, stride: 2, padding: 1, gap: 5),
    .init(height: 28, width: 42, inChannels: 3, outChannels: 48, kernel: 14, stride: 14, padding: 0),
    .init(height: 4, width: 3, inChannels: 70, outChannels: 3, kernel: 3, stride: 1, padding: 1, gap: 1),
    .init(height: 2, width: 2, inChannels: 5, outChannels: 130, kernel: 5, stride: 1, padding: 2),
    .init(
      height: 31, width: 19, inChannels: 24, outChannels: 40, kernel: 3, stride: 1, padding: 1,
      activation: .silu, residual: true, gap: 8),
    .init(
      height: 6, width: 10, inChannels: 40, outChannels: 72, kernel: 1, stride: 1, padding: 0,
      activation: .silu, addendShift: 1, gap: 3),
    .init(
      height: 8, width: 4, inChannels: 7, outChannels: 5, kernel: 1, stride: 1, padding: 0,
      activation: .relu, addendShift: 2),
    .init(
      height: 1, width: 37, inChannels: 100, outChannels: 67, kernel: 1, stride: 1, padding: 0,
      residual: true,
      normalised: true),
    .init(
      height: 9, width: 7, inChannels: 48, outChannels: 24, kernel: 1, stride: 1, padding: 0,
      activation: .gelu, normalised: true, gap: 5),
  ]

  /// Both kinds of channels multiples of 32; a pixel alone, odd numbers of rows, panels of 16 columns.
  static let strassenCases: [ConvolutionCase] = [
    .init(height: 1, width: 1, inChannels: 32, outChannels: 64, kernel: 1, stride: 1, padding: 0),
    .init(
      height: 1, width: 37, inChannels: 64, outChannels: 32, kernel: 1, stride: 1, padding: 0,
      activation: .sigmoid),
    .init(
      height: 13, width: 11, inChannels: 96, outChannels: 96, kernel: 1, stride: 1, padding: 0,
      activation: .silu, residual: true, gap: 16),
    .init(
      height: 57, width: 1, inChannels: 160, outChannels: 128, kernel: 1, stride: 1, padding: 0,
      activation: .gelu, gap: 3),
    .init(
      height: 20, width: 20, inChannels: 256, outChannels: 192, kernel: 1, stride: 1, padding: 0,
      residual: true),
    .init(
      height: 14, width: 22, inChannels: 64, outChannels: 96, kernel: 1, stride: 1, padding: 0,
      activation: .silu, addendShift: 1, gap: 2),
    .init(
      height: 1, width: 67, inChannels: 96, outChannels: 128, kernel: 1, stride: 1, padding: 0,
      activation: .gelu, normalised: true, gap: 3),
  ]

  @Test(arguments: Implementation.all, directCases)
  func direct(_ implementation: Implementation, _ test: ConvolutionCase) throws {
    let kernels = try implementation.kernels()
    check(
      kernels.direct, test, rows: test.shape.outHeight * test.shape.outWidth, together: kernels.tileRows,
      panels: (test.shape.outChannels - 1) / kernels.panelWidth + 1, tolerance: Tolerance.product)
  }

  @Test(arguments: Implementation.all, strassenCases)
  func strassen(_ implementation: Implementation, _ test: ConvolutionCase) throws {
    let kernels = try implementation.kernels()
    check(
      kernels.strassen, test, rows: test.shape.rowPairs(kernels.tileRows), together: 1,
      panels: (test.shape.outChannels / 2 - 1) / kernels.panelWidth + 1, tolerance: Tolerance.strassen)
  }

  /// Runs a convolution whole and cut into pieces of `together` of its `rows` and of one panel.
  private func check(
    _ kernels: ConvolutionKernels, _ test: ConvolutionCase, rows: Int, together: Int, panels: Int,
    tolerance: Double
  ) {
    let shape = test.shape
    var numbers = TestNumbers(seed: 7)
    let filter = shape.inChannels * shape.kernelHeight * shape.kernelWidth
    let weights = numbers.next(shape.outChannels * filter)
    let scale = numbers.next(shape.outChannels)
    let bias = numbers.next(shape.outChannels)
    let input = GuardedMap(
      height: shape.inHeight, width: shape.inWidth, channels: shape.inChannels, gap: test.gap,
      rowGap: test.gap, seed: 1)
    let residual = GuardedMap(
      height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels, gap: test.gap, seed: 2)
    let addend = GuardedMap(
      height: test.addendSize.height, width: test.addendSize.width, channels: shape.outChannels,
      gap: test.gap,
      rowGap: test.gap, seed: 3)
    let (gamma, beta) = (
      GuardedFloats(numbers.next(shape.inChannels)), GuardedFloats(numbers.next(shape.inChannels))
    )
    let epsilon: Float = 1e-6
    let seen = test.normalised ? input.normalised(gamma, beta, epsilon) : input
    let expected = reference(test, seen, weights, scale, bias, residual, addend)

    let packed = GuardedFloats(count: kernels.packedCount(shape))
    let (source, factors) = (GuardedFloats(weights), GuardedFloats(scale))
    unsafe kernels.pack(shape, source.pointer, factors.pointer, packed.pointer)
    #expect(packed.guardsAreIntact)

    let zeros = GuardedFloats([Float](repeating: 0, count: (shape.inChannels + 15) / 16 * 16))
    let paddedBias = GuardedFloats(bias + [Float](repeating: 0, count: 64))
    let scratch = GuardedFloats(count: kernels.scratch(shape))

    func run(split: Bool) -> [Float] {
      let output = GuardedMap(
        height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels, gap: test.gap, rowGap: 2)
      var task = unsafe ConvolutionTask(
        shape: shape, input: input.input, output: output.output,
        epilogue: test.epilogue(residual: residual.input, addend: addend.input), weights: packed.pointer,
        bias: paddedBias.pointer, zeros: zeros.pointer, activation: test.activation)
      if test.normalised {
        task.prologue = unsafe .normalise(
          Normalisation(gamma: gamma.pointer, beta: beta.pointer, epsilon: epsilon))
      }
      let rowStep = split ? together : rows
      for panel in stride(from: 0, to: panels, by: split ? 1 : panels) {
        let lastPanel = split ? panel + 1 : panels
        for begin in stride(from: 0, to: rows, by: rowStep) {
          let end = min(rows, begin + rowStep)
          unsafe kernels.convolution(&task, begin, end, panel, lastPanel, scratch.pointer)
        }
      }
      #expect(output.guardsAreIntact)
      #expect(scratch.guardsAreIntact)
      return output.values
    }
    let whole = run(split: false)
    let own = test.normalised ? max(tolerance, Tolerance.normalisation) : tolerance
    expectClose(whole, expected, tolerance: own, test.testDescription)
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }

  private func reference(
    _ test: ConvolutionCase, _ input: GuardedMap, _ weights: [Float], _ scale: [Float], _ bias: [Float],
    _ residual: GuardedMap, _ addend: GuardedMap
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
              if inY < 0 || inX < 0 || inY >= test.height || inX >= test.width { continue }
              for channel in 0..<test.inChannels {
                let index = ((out * test.inChannels + channel) * test.kernel + row) * test.kernel + column
                sum.add(input[inY, inX, channel], weights[index] * scale[out])
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

extension GuardedMap {
  /// Every pixel normalised over its channels.
  fileprivate func normalised(_ gamma: GuardedFloats, _ beta: GuardedFloats, _ epsilon: Float) -> GuardedMap {
    let result = GuardedMap(height: height, width: width, channels: channels)
    for y in 0..<height {
      for x in 0..<width {
        let row = (0..<channels).map { Double(self[y, x, $0]) }
        let mean = row.reduce(0, +) / Double(channels)
        let variance = row.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(channels)
        for (channel, value) in row.enumerated() {
          let normal = (value - mean) / (variance + Double(epsilon)).squareRoot()
          result[y, x, channel] = Float(normal * Double(gamma[channel]) + Double(beta[channel]))
        }
      }
    }
    return result
  }
}
