import NNKernelInterface
import Testing

/// A depthwise convolution or a max-pool to check.
struct WindowCase: CustomTestStringConvertible, Sendable {
  var height, width, channels, kernel, stride, padding: Int
  var activation = Activation.none
  var residual = false
  var gap = 0

  var outHeight: Int { (height + 2 * padding - kernel) / stride + 1 }
  var outWidth: Int { (width + 2 * padding - kernel) / stride + 1 }

  var testDescription: String {
    "\(height)x\(width)x\(channels) k\(kernel) s\(stride) p\(padding) \(activation) gap \(gap)"
      + (residual ? " +residual" : "")
  }
}

@Suite("Depthwise convolution and pooling keep to their definitions")
struct WindowConformance {
  static let depthwiseCases: [WindowCase] = [
    .init(height: 1, width: 1, channels: 1, kernel: 3, stride: 1, padding: 1),
    .init(height: 7, width: 9, channels: 16, kernel: 3, stride: 1, padding: 1, activation: .silu),
    .init(height: 8, width: 11, channels: 80, kernel: 3, stride: 2, padding: 1, activation: .relu, gap: 16),
    .init(
      height: 6, width: 5, channels: 8, kernel: 3, stride: 1, padding: 1, activation: .gelu, residual: true,
      gap: 4),
    .init(
      height: 12, width: 13, channels: 35, kernel: 5, stride: 1, padding: 2, activation: .sigmoid,
      residual: true, gap: 1),
    .init(height: 5, width: 23, channels: 3, kernel: 3, stride: 2, padding: 0),
    .init(height: 2, width: 2, channels: 33, kernel: 5, stride: 1, padding: 2),
    // Last channels that fill no vector, with nothing added.
    .init(
      height: 6, width: 37, channels: 24, kernel: 3, stride: 1, padding: 1, activation: .hardSwish, gap: 8),
    .init(height: 9, width: 19, channels: 120, kernel: 5, stride: 2, padding: 2, activation: .silu),
  ]

  static let poolCases: [WindowCase] = [
    .init(height: 1, width: 1, channels: 1, kernel: 5, stride: 1, padding: 2),
    .init(height: 20, width: 20, channels: 128, kernel: 5, stride: 1, padding: 2),
    .init(height: 7, width: 3, channels: 19, kernel: 5, stride: 1, padding: 2, gap: 3),
    .init(height: 9, width: 12, channels: 8, kernel: 3, stride: 2, padding: 1, gap: 1),
    .init(height: 6, width: 6, channels: 80, kernel: 2, stride: 2, padding: 0, gap: 16),
    .init(height: 3, width: 17, channels: 33, kernel: 5, stride: 1, padding: 1),
  ]

  @Test(arguments: Implementation.all, depthwiseCases)
  func depthwise(_ implementation: Implementation, _ test: WindowCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, rowGap: test.gap,
      seed: 1)
    let residual = GuardedMap(
      height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, seed: 2)
    var numbers = TestNumbers(seed: 3)
    let weights = GuardedFloats(numbers.next(test.kernel * test.kernel * test.channels))
    let bias = GuardedFloats(numbers.next(test.channels))

    func run(rows step: Int) -> [Float] {
      let output = GuardedMap(
        height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, rowGap: 1)
      var task = unsafe DepthwiseTask(
        inHeight: test.height, inWidth: test.width, outHeight: test.outHeight, outWidth: test.outWidth,
        channels: test.channels, kernel: test.kernel, stride: test.stride, padding: test.padding,
        input: input.input, output: output.output, residual: test.residual ? residual.input : nil,
        weights: weights.pointer, bias: bias.pointer, activation: test.activation)
      for begin in stride(from: 0, to: test.outHeight, by: step) {
        kernels.kernels(of: DepthwiseTask.self)[0].run(&task, begin..<min(test.outHeight, begin + step))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected: [Expected] = []
    forEachWindow(test) { y, x, channel in
      var sum = Expected()
      for row in 0..<test.kernel {
        for column in 0..<test.kernel {
          sum.add(
            input.padded(
              y * test.stride - test.padding + row, x * test.stride - test.padding + column, channel),
            weights[(row * test.kernel + column) * test.channels + channel])
        }
      }
      sum.add(bias[channel])
      sum = activated(sum, test.activation)
      if test.residual { sum.add(residual[y, x, channel]) }
      expected.append(sum)
    }
    let whole = run(rows: test.outHeight)
    expectClose(whole, expected, tolerance: KernelTolerance.product.sums, test.testDescription)
    #expect(run(rows: 1).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }

  @Test(arguments: Implementation.all, poolCases)
  func maxPool(_ implementation: Implementation, _ test: WindowCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, rowGap: test.gap,
      seed: 1)

    func run(rows step: Int) -> [Float] {
      let output = GuardedMap(
        height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, rowGap: 1)
      var task = PoolTask(
        inHeight: test.height, inWidth: test.width, outHeight: test.outHeight, outWidth: test.outWidth,
        channels: test.channels, kernel: test.kernel, stride: test.stride, padding: test.padding,
        input: input.input, output: output.output)
      for begin in stride(from: 0, to: test.outHeight, by: step) {
        kernels.kernels(of: PoolTask.self)[0].run(&task, begin..<min(test.outHeight, begin + step))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected: [Float] = []
    forEachWindow(test) { y, x, channel in
      var best = -Float.infinity
      for row in 0..<test.kernel {
        for column in 0..<test.kernel {
          let (inY, inX) = (y * test.stride - test.padding + row, x * test.stride - test.padding + column)
          if inY < 0 || inX < 0 || inY >= test.height || inX >= test.width { continue }
          best = max(best, input[inY, inX, channel])
        }
      }
      expected.append(best)
    }
    #expect(run(rows: test.outHeight) == expected, "a maximum is exact")
    #expect(run(rows: 1) == expected, "a maximum is exact")
  }

  private func forEachWindow(_ test: WindowCase, _ body: (Int, Int, Int) -> Void) {
    for y in 0..<test.outHeight {
      for x in 0..<test.outWidth {
        for channel in 0..<test.channels { body(y, x, channel) }
      }
    }
  }
}
